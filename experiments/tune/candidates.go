package tune

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
)

// candidate is one combination of values.
type candidate []spec.Setting

// parameters is its JSON form: values by path; "{}" of the spec's own settings.
func (c candidate) parameters() string { return spec.Parameters(c) }

// text is what is set, for people: path=value, with commas between.
func (c candidate) text() string {
	return list(c, func(x spec.Setting) string { return fmt.Sprintf("%s=%v", x.Path, x.Value) })
}

// apart returns the settings of the policy, and those of the rest of the spec.
func (c candidate) apart() (policy, rest candidate) {
	for _, x := range c {
		if spec.IsPolicySetting(x.Path) {
			policy = append(policy, x)
		} else {
			rest = append(rest, x)
		}
	}
	return policy, rest
}

// parseAxes reads all that is tuned.
func parseAxes(texts []string, p *spec.Policy) (all []axis, err error) {
	seen := map[string]bool{}
	for _, text := range texts {
		tuned, err := parseAxis(text, p)
		if err != nil {
			return nil, err
		}
		if seen[tuned.path] {
			return nil, fmt.Errorf("%s is given twice", tuned.path)
		}
		seen[tuned.path] = true
		all = append(all, tuned)
	}
	return all, nil
}

// grid returns all combinations of the axes' values, the last axis fastest.
func grid(axes []axis) ([]candidate, error) {
	all := []candidate{nil}
	for _, tuned := range axes {
		if len(all)*len(tuned.values) > maxSettings {
			return nil, fmt.Errorf("more than %d combinations; give fewer values, such as three of %s",
				maxSettings, tuned.path)
		}
		var more []candidate
		for _, c := range all {
			for _, value := range tuned.values {
				more = append(more, append(slices.Clone(c), spec.Setting{Path: tuned.path, Value: value}))
			}
		}
		all = more
	}
	return all, distinct(all)
}

// distinct refuses combinations that are there twice.
func distinct(all []candidate) error {
	seen := map[string]bool{}
	for _, c := range all {
		text := c.parameters()
		if seen[text] {
			return fmt.Errorf("%s is there twice", text)
		}
		seen[text] = true
	}
	return nil
}
