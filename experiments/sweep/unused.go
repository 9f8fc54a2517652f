package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
)

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
		x.why = map[string]string{}
		x.idle = map[string]int{}
	}
	x.cells++
	for _, set := range settings {
		if why := s.WhyUnused(set.Path, set.Value); why != "" {
			x.idle[set.Path]++
			x.why[set.Path] = cmp.Or(x.why[set.Path], why)
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
	values, err := parametersOf(parameters)
	if err != nil {
		return "", err
	}
	delete(values, "policy")
	return string(toJSON(values)), nil
}

// Lacking says of each setting of policies that is varied which policies do not
// have it: "fixed, ondemand do not have policy.patience_s". Their runs are those
// of one value, made again for each so that every cell has all that it compares.
// Of a setting that names its policy everybody knows that.
func (p *Plan) Lacking() []string {
	varied := p.variedSettings()
	var texts []string
	for _, path := range varied {
		if policy, _ := spec.PolicySetting(path); policy != "" {
			continue
		}
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

// varied returns the parameters of each cell by path, and the paths that have several values, sorted.
func (p *Plan) varied() (cells []map[string]string, paths []string) {
	values := map[string]map[string]bool{}
	for i := range p.Cells {
		raw, err := parametersOf(p.Cells[i].Parameters)
		if err != nil {
			return nil, nil // a plan from a file that is read with an error elsewhere
		}
		cell := map[string]string{}
		for path, value := range raw {
			cell[path] = string(value)
			if values[path] == nil {
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
