package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
)

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
		has := func(policy string) bool { return spec.HasSetting(policy, path) }
		if string(was) == string(is) || spec.IsPolicySetting(path) && !slices.ContainsFunc(cell.Policies, has) {
			continue
		}
		text := fmt.Sprintf("%s: %s and %s mean the same, and their runs are the same", path, was, is)
		if !slices.Contains(x.texts, text) && len(x.texts) < maxEqual {
			x.texts = append(x.texts, text)
		}
	}
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
