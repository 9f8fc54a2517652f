package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// Ablation says which parameter of a sweep is compared across its values.
type Ablation struct {
	Path  string            // such as policy.patience_s
	Value string            // with which the others are compared, as Values has it
	Fixed map[string]string // values of other parameters to which it is confined
}

// Values returns the values of a parameter in the cells of a sweep, in their order: text as it is, else JSON.
func (p *Plan) Values(path string) (values []string, err error) {
	for _, c := range p.Cells {
		parameters, err := parametersOf(c.Parameters)
		if err != nil {
			return nil, err
		}
		if raw, has := parameters[path]; has && !slices.Contains(values, valueText(raw)) {
			values = append(values, valueText(raw))
		}
	}
	if values == nil {
		return nil, fmt.Errorf("no parameter %s in the sweep; it has %s", path, strings.Join(p.paths(), ", "))
	}
	return values, nil
}

// paths are the parameters of the cells.
func (p *Plan) paths() []string {
	all := map[string]bool{}
	for _, c := range p.Cells {
		parameters, err := parametersOf(c.Parameters)
		if err != nil {
			continue
		}
		for path := range parameters {
			all[path] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func parametersOf(text string) (map[string]json.RawMessage, error) {
	parameters := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &parameters); err != nil {
		return nil, fmt.Errorf("parameters %s: %w", text, err)
	}
	return parameters, nil
}

func valueText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Label names a value of a parameter: "patience_s 60" of policy.patience_s.
func (a *Ablation) Label(value string) string {
	return strings.TrimPrefix(a.Path, "policy.") + " " + value
}

// Ablate compares the values of a parameter, for each policy that it is of and each objective, and each combination of
// the other parameters: runs from the same start under the same seed, which are paired. Policy of what it returns is
// the label of a value, Of the policy.
func (f *Folder) Ablate(by By, a Ablation) ([]Comparison, error) {
	values, err := f.Plan.Values(a.Path)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(values, a.Value) {
		return nil, fmt.Errorf("no value %s of %s in the sweep; there are %s",
			a.Value, a.Path, strings.Join(values, ", "))
	}
	keep := by.Keep
	by.Keep = nil
	by.Baseline = a.Label(a.Value)
	gathered := gathering{by: by, points: int(f.Plan.perCell()), starts: f.Plan.StartsS}
	names := map[string]string{} // of policies, by what their groups are called
	err = f.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			row := rows[i]
			kept, err := keep(&row)
			policy := row.Policy
			if err == nil && kept {
				kept, err = a.across(&row)
			}
			if err != nil {
				return err
			}
			if !kept {
				continue
			}
			names[row.Objective] = policy
			_, start, seed, _ := f.Plan.place(f.Plan.pointOf(row.Run))
			if err := gathered.add(&row, start*f.Plan.Seeds+seed); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all, err := gathered.compare()
	aboutPercentiles := func(text string) bool { return strings.Contains(text, "percentile") }
	for i := range all {
		value := &all[i]
		value.Of = names[value.Objective]
		value.Baseline = by.Baseline
		value.Warnings = slices.DeleteFunc(value.Warnings, aboutPercentiles) // an ablation shows none
		if value.DiffCI != nil && value.Policy != by.Baseline {
			value.P = new(value.diffP)
		}
	}
	return all, err
}

// across makes a row one of a value of the parameter, instead of a policy; false if it has none, or is not confined to.
func (a *Ablation) across(r *results.SweepRow) (bool, error) {
	parameters, err := parametersOf(r.Parameters)
	raw, has := parameters[a.Path]
	if err != nil || !has || spec.IsPolicySetting(a.Path) && !spec.HasSetting(r.Policy, a.Path) {
		return false, err
	}
	for path, value := range a.Fixed {
		if other, has := parameters[path]; has && valueText(other) != value {
			return false, nil
		}
		delete(parameters, path)
	}
	delete(parameters, a.Path)
	delete(parameters, "policy")
	r.Parameters = string(toJSON(parameters))
	r.Objective += ", " + r.Policy
	r.Policy = a.Label(valueText(raw))
	return true, nil
}

// Correct corrects the p-values of comparisons for their number, by Holm.
func Correct(all []Comparison) {
	var p []float64
	var tested []*Comparison
	for i := range all {
		if all[i].P != nil {
			p = append(p, *all[i].P)
			tested = append(tested, &all[i])
		}
	}
	for i, corrected := range intervals.Holm(p) {
		tested[i].PHolm = &corrected
	}
}
