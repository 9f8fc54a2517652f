package sweep

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// Alike returns the parameters that made no difference: between any two cells that
// differ in them only, all runs from the same start and with the same seed came to the
// same, bit by bit. Parameters that were varied together are one, joined by " with ".
// All chunks have to be there.
func (f *Folder) Alike() ([]string, error) {
	groups := f.Plan.pairings()
	if len(groups) == 0 {
		return nil, nil
	}
	outcomes := make([]uint64, f.Plan.Runs())
	err := f.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			outcomes[rows[i].Run] = outcome(&rows[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, g := range groups {
		if !slices.ContainsFunc(g.pairs, func(pair [2]int) bool { return !f.Plan.equal(pair, outcomes) }) {
			names = append(names, g.name)
		}
	}
	return names, nil
}

// pairing is the pairs of cells that differ in one parameter only.
type pairing struct {
	name  string
	pairs [][2]int
}

// pairings finds them for every parameter that is varied and whose cells have the same
// runs.
func (p *Plan) pairings() (all []pairing) {
	cells, paths := p.varied()
	for len(paths) > 0 {
		with := together(cells, paths)
		g := pairing{name: strings.Join(with, " with "), pairs: p.pairs(cells, with)}
		if g.pairs != nil {
			all = append(all, g)
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return slices.Contains(with, path) })
	}
	return all
}

// varied returns the parameters of each cell by path, and the paths that have several values, sorted.
func (p *Plan) varied() (cells []map[string]string, paths []string) {
	values := map[string]map[string]bool{}
	for i := range p.Cells {
		raw := map[string]json.RawMessage{}
		if json.Unmarshal([]byte(p.Cells[i].Parameters), &raw) != nil {
			return nil, nil // a plan from a file that is read with an error elsewhere
		}
		cell := map[string]string{}
		for path, value := range raw {
			if cell[path] = string(value); values[path] == nil {
				values[path] = map[string]bool{}
			}
			values[path][string(value)] = true
		}
		cells = append(cells, cell)
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		if len(values[path]) > 1 {
			paths = append(paths, path)
		}
	}
	return cells, paths
}

// together returns the first path and those whose values change with its own, and only
// then.
func together(cells []map[string]string, paths []string) []string {
	follows := func(a, b string) bool {
		seen := map[string]string{}
		for _, c := range cells {
			if was, has := seen[c[a]]; has && was != c[b] {
				return false
			}
			seen[c[a]] = c[b]
		}
		return true
	}
	with := paths[:1:1]
	for _, path := range paths[1:] {
		if follows(paths[0], path) && follows(path, paths[0]) {
			with = append(with, path)
		}
	}
	return with
}

// pairs returns each cell with the first that differs from it in those paths only; nil
// where none does, or where two of them are not of the same runs.
func (p *Plan) pairs(cells []map[string]string, without []string) (pairs [][2]int) {
	first := map[string]int{}
	for i, c := range cells {
		rest := map[string]string{}
		for path, value := range c {
			if !slices.Contains(without, path) {
				rest[path] = value
			}
		}
		k, seen := first[string(toJSON(rest))]
		if !seen {
			first[string(toJSON(rest))] = i
			continue
		}
		if a, b := &p.Cells[k], &p.Cells[i]; len(a.Objectives) != len(b.Objectives) || !slices.Equal(a.Policies, b.Policies) {
			return nil
		}
		pairs = append(pairs, [2]int{k, i})
	}
	return pairs
}

// equal reports whether the runs of two cells came to the same.
func (p *Plan) equal(pair [2]int, outcomes []uint64) bool {
	of := func(cell int) []uint64 { return outcomes[p.firstRun[cell]:p.firstRun[cell+1]] }
	return slices.Equal(of(pair[0]), of(pair[1]))
}

// inputs are numbers of a run that it did not come to.
var inputs = []string{"Run", "Seed", "ObjectiveLoss", "ObjectiveS", "ObjectiveShare", "Goal", "GoalValue", "HorizonS"}

// outcomeFields are what a run came to: its numbers but for those.
var outcomeFields = func() (fields []int) {
	t := reflect.TypeFor[results.Summary]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() != reflect.String && !slices.Contains(inputs, f.Name) {
			fields = append(fields, i)
		}
	}
	return fields
}()

// outcome is a hash of what a run came to.
func outcome(r *results.SweepRow) uint64 {
	h := fnv.New64a()
	var b [8]byte
	add := func(bits uint64) {
		binary.LittleEndian.PutUint64(b[:], bits)
		h.Write(b[:])
	}
	v := reflect.ValueOf(&r.Summary).Elem()
	for _, i := range outcomeFields {
		x := v.Field(i)
		if x.Kind() == reflect.Pointer {
			if x.IsNil() {
				add(math.MaxUint64)
				continue
			}
			x = x.Elem()
		}
		switch x.Kind() {
		case reflect.Float64:
			add(math.Float64bits(x.Float()))
		case reflect.Int64:
			add(uint64(x.Int()))
		case reflect.Bool:
			if x.Bool() {
				add(1)
			} else {
				add(0)
			}
		}
	}
	h.Write([]byte(r.Error))
	return h.Sum64()
}
