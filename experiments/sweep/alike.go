package sweep

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
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

// maxEqual bounds the warnings of values that mean the same.
const maxEqual = 20

// equals looks for cells that mean the same, written in other words: their runs would be
// made twice.
type equals struct {
	first map[string]int // the first cell of a meaning, by the meaning's digest
	cells []map[string]json.RawMessage
	texts []string
}

// add takes a cell in, with its parameters and its spec.
func (x *equals) add(cell *Cell, s *spec.Spec) {
	if x.first == nil {
		x.first = map[string]int{}
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(cell.Parameters), &values); err != nil {
		values = nil // not a number: no spec has it
	}
	key := digest([]byte(s.Meaning()))
	k, seen := x.first[key]
	if x.cells = append(x.cells, values); !seen {
		x.first[key] = len(x.cells) - 1
		return
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		was, is := x.cells[k][path], values[path]
		if string(was) == string(is) || spec.IsPolicySetting(path) && !anyHas(cell.Policies, path) {
			continue
		}
		text := fmt.Sprintf("%s: %s and %s mean the same, and their runs are the same", path, was, is)
		if !slices.Contains(x.texts, text) && len(x.texts) < maxEqual {
			x.texts = append(x.texts, text)
		}
	}
}

// anyHas reports whether one of the policies has a setting.
func anyHas(policies []string, path string) bool {
	return slices.ContainsFunc(policies, func(name string) bool { return spec.HasSetting(name, path) })
}

// idlers looks for axes along which nothing changes: parameters whose value changes no
// result in any cell.
type idlers struct {
	cells int
	why   map[string]string // by path, of the first cell
	idle  map[string]int    // cells, by path
}

// add takes a cell in.
func (x *idlers) add(settings []spec.Setting, s *spec.Spec) {
	if x.why == nil {
		x.why, x.idle = map[string]string{}, map[string]int{}
	}
	x.cells++
	for _, set := range settings {
		if why := s.WhyUnused(set.Path, set.Value); why != "" {
			if x.idle[set.Path]++; x.why[set.Path] == "" {
				x.why[set.Path] = why
			}
		}
	}
}

// check refuses axes of several values that change nothing.
func (x *idlers) check(s *Spec) error {
	axes, err := s.axes()
	if err != nil {
		return err
	}
	for _, a := range axes {
		for _, path := range a.paths {
			if len(a.values) > 1 && x.idle[path] == x.cells {
				return fmt.Errorf("%s has no effect, so that its %d values are the same runs: %s; "+
					"sweep another parameter, or take it out", path, len(a.values), x.why[path])
			}
		}
	}
	return nil
}

// withoutPolicy drops the choice of policies from a cell's parameters, so that
// cells that differ in it only are compared.
func withoutPolicy(parameters string) (string, error) {
	if !strings.Contains(parameters, `"policy":`) {
		return parameters, nil
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(parameters), &m); err != nil {
		return "", fmt.Errorf("parameters %s: %w", parameters, err)
	}
	delete(m, "policy")
	return string(toJSON(m)), nil
}

// Lacking says of each setting of policies that is varied which policies do not
// have it: "fixed, ondemand do not have policy.patience_s". Their runs are those
// of one value, made again for each so that every cell has all that it compares.
func (p *Plan) Lacking() []string {
	varied := p.variedSettings()
	var texts []string
	for _, path := range varied {
		var names []string
		for _, policy := range p.Policies() {
			if slices.Contains(lacks(policy, varied), path) {
				names = append(names, policy)
			}
		}
		switch len(names) {
		case 0:
		case 1:
			texts = append(texts, names[0]+" has no setting "+path)
		default:
			texts = append(texts, strings.Join(names, ", ")+" have no setting "+path)
		}
	}
	return texts
}

// lacks returns those of the paths that are of a setting which a policy has not.
func lacks(policy string, paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return spec.HasSetting(policy, path) })
}

// variedSettings returns the paths of the settings of policies that have several
// values in the cells, sorted.
func (p *Plan) variedSettings() []string {
	_, paths := p.varied()
	return slices.DeleteFunc(paths, func(path string) bool { return !spec.IsPolicySetting(path) })
}

// noteLacking adds a warning to comparisons of policies that do not have a setting
// which is varied.
func (c *Comparison) noteLacking(varied []string) {
	for _, path := range lacks(c.Policy, varied) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("has no setting %s: its runs are the same for every value", path))
	}
}
