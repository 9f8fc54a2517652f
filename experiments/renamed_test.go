package experiments

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
)

// docs/renamed.md lists every former name that the code knows.
func TestRenamedFile(t *testing.T) {
	testutil.GoldenText(t, "../docs/renamed.md", renamedFile())
}

func renamedFile() string {
	var b strings.Builder
	b.WriteString(`# Renamed keys and columns

Names that have changed. The old name still works in this release, with a warning; the next release accepts the new name only.
This page is printed from the code (` + "`go test ./experiments -run TestRenamedFile -update`" + `).
`)
	section(&b, "Keys of specs", "In files, in `--set` and in the matrix of sweeps.", keys())
	section(&b, "Settings of policies", "In `settings` of a policy and in `policy.NAME`.", settings())
	numbered(&b)
	section(&b, "Columns of result tables", "Files of schema version 3 are read; new files have the new names, so queries in SQL need them.", columns())
	section(&b, "Keys of JSON", "The old keys are written next to the new ones in this release; those of `compare`, where the unit is USD only. "+
		"`unit` was what runs are independent by; it is the unit of `value` now.", keysOfJSON())
	return b.String()
}

// section lists names under a heading, if there are any.
func section(b *strings.Builder, title, text string, names []formerName) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n%s\n\n| in | old name | new name |\n|---|---|---|\n", title, units.Wrap(text, 150))
	for _, n := range names {
		fmt.Fprintf(b, "| %s | `%s` | `%s` |\n", n.Where, n.Former, n.Present)
	}
}

// keysOfJSON are those of comparisons (sweep.Comparison), of what runs came to (Aggregate) and of the phases of a job
// (report.JobPhase).
func keysOfJSON() (names []formerName) {
	for _, n := range [][2]string{{"mean_usd", "value"}, {"p50_usd", "p50"}, {"p95_usd", "p95"}, {"p99_usd", "p99"}, {"diff_usd", "diff"},
		{"unit", "sampling_unit"}} {
		names = append(names, formerName{Where: "`marigram compare --json`", Former: n[0], Present: n[1]})
	}
	return append(names, formerName{Where: "`marigram run --json`", Former: "unit", Present: "sampling_unit"},
		formerName{Where: "`marigram explain --job --json`", Former: "beside", Present: "next_to"})
}

func keys() []formerName {
	names := formerNames(reflect.TypeFor[spec.Spec](), "json")
	for i := range names {
		where := strings.Split(names[i].Where, ".")
		names[i].Where = "`" + where[len(where)-1] + "`"
	}
	return names
}

// numbered lists the settings that were numbers and are names, or true and false.
func numbered(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Values of settings\nThe old numbers still work in this release, with a warning; the next release accepts the new "+
		"values only.\n\n| setting | old values | new values |\n|---|---|---|\n")
	seen := map[string]bool{}
	for _, info := range policies.List() {
		if info.Needs >= policies.Gangs {
			continue // they never were numbers
		}
		for _, s := range policies.Settings(info.Defaults()) {
			if _, number := s.Value.(float64); number || seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			old, names := "`0`, `1`", []string{"false", "true"}
			if s.Names != nil {
				old, names = fmt.Sprintf("`0` to `%d`", len(s.Names)-1), s.Names
			}
			fmt.Fprintf(b, "| `%s` | %s | `%s` |\n", s.Name, old, strings.Join(names, "`, `"))
		}
	}
}

func settings() (names []formerName) {
	for _, info := range policies.List() {
		for _, n := range formerNames(reflect.TypeOf(info.Defaults()), "set") {
			n.Where = "`" + info.Name + "`"
			names = append(names, n)
		}
	}
	return names
}

func columns() (names []formerName) {
	for _, table := range []struct {
		file string
		row  reflect.Type
	}{
		{results.SummaryFile, reflect.TypeFor[results.Summary]()}, {results.SpansFile, reflect.TypeFor[results.Span]()},
		{results.DecisionsFile, reflect.TypeFor[results.Decision]()}, {results.CandidatesFile, reflect.TypeFor[results.Candidate]()},
		{results.InstancesFile, reflect.TypeFor[results.Instance]()},
	} {
		for _, n := range formerNames(table.row, "col") {
			n.Where = "`" + table.file + "`"
			names = append(names, n)
		}
	}
	return names
}

// formerName is a name that has changed.
type formerName struct {
	Where   string // what it belongs to: keys joined by dots; empty at the top
	Former  string
	Present string
}

// formerNames lists the former names in a type: a struct and the structs below it,
// each once, whose fields are named by a tag such as json.
func formerNames(t reflect.Type, key string) []formerName {
	l := lister{key: key, seen: map[reflect.Type]bool{}}
	l.walk(t, "")
	return l.names
}

type lister struct {
	key   string
	seen  map[reflect.Type]bool
	names []formerName
}

func (l *lister) walk(t reflect.Type, where string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || l.seen[t] {
		return
	}
	l.seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get(l.key), ",")
		for _, former := range fields.Former(f) {
			l.names = append(l.names, formerName{where, former, name})
		}
		if open, is := reflect.New(f.Type).Interface().(fields.Open); is { // keys that packages register are keys of the struct
			l.walk(open.Registered().Type(), where)
		} else if name != "" || f.Anonymous {
			l.walk(f.Type, strings.Trim(where+"."+name, "."))
		}
	}
}

type bootNames struct {
	Sigma *float64 `json:"sigma,omitempty" was:"spread,deviation"`
}

type lostNames struct {
	Lost float64 `json:"lost_h" was:"redone_h"`
}

type specNames struct {
	FormerName string     `json:"name"`
	Boot       *bootNames `json:"boot" was:"start"`
	lostNames
	Again []specNames `json:"again"`
	_     bootNames   // fields that cannot be set are left alone
}

func TestFormerNames(t *testing.T) {
	want := []formerName{{"", "start", "boot"}, {"boot", "spread", "sigma"}, {"boot", "deviation", "sigma"}, {"", "redone_h", "lost_h"}}
	if got := formerNames(reflect.TypeFor[specNames](), "json"); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
