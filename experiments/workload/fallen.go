package workload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/registry"
)

// fallen are the jobs that take the speeds of the row * because the table does not name
// their kind.
type fallen struct {
	byKind map[string]*fallenKind
	n      int
}

// fallenKind is one kind, "" of jobs without one.
type fallenKind struct {
	name  string
	n     int
	first string // where the first of its jobs stands
	order int    // among the kinds
}

// note counts a job if it is one of them.
func (f *fallen) note(w *Workload, j *Job) {
	if w.table == nil || !w.table.FallsBack(j.Kind, j.GPUs) || j.Most > 0 && slices.Contains(w.table.Kinds, j.Kind) {
		return
	}
	if f.byKind == nil {
		f.byKind = map[string]*fallenKind{}
	}
	kind := f.byKind[j.Kind]
	if kind == nil {
		kind = &fallenKind{name: j.Kind, first: strings.TrimSuffix(w.place(j), ": "), order: len(f.byKind)}
		f.byKind[j.Kind] = kind
	}
	kind.n++
	f.n++
}

// maxNamed is how many kinds a warning names.
const maxNamed = 8

// warning says which kinds they are, those with the most jobs first.
func (f *fallen) warning(known []string) string {
	kinds := slices.SortedFunc(maps.Values(f.byKind), func(a, b *fallenKind) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.order, b.order))
	})
	var named []string
	for _, kind := range kinds[:min(len(kinds), maxNamed)] {
		named = append(named, kind.text(known))
	}
	if n := len(kinds) - len(named); n > 0 {
		named = append(named, fmt.Sprintf("and %d more kinds", n))
	}
	jobs := "1 job has"
	if f.n > 1 {
		jobs = fmt.Sprintf("%d jobs have", f.n)
	}
	return fmt.Sprintf("%s the speeds of the row * of model.gang.speeds, which has no row for their kind: %s", jobs,
		strings.Join(named, "; "))
}

// text names a kind, how many jobs are of it, where the first stands, and what may have been meant.
func (k *fallenKind) text(known []string) string {
	text := fmt.Sprintf("kind %q", k.name)
	if k.name == "" {
		text = "no kind"
	}
	text += fmt.Sprintf(" (%d", k.n)
	if k.first != "" {
		text += ", the first at " + k.first
	}
	text += ")"
	if near := registry.Nearest(k.name, known); near != "" && near != k.name {
		text += fmt.Sprintf(", did you mean %q?", near)
	} else if slices.Contains(known, k.name) {
		text += ", whose rows are for other numbers of GPUs"
	}
	return text
}
