package tune

import (
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/experiments/spec"
)

// candidate is one combination of values.
type candidate []spec.Setting

// parameters is its JSON form: values by path; "{}" of the spec's own settings.
func (c candidate) parameters() string {
	m := map[string]any{}
	for _, x := range c {
		m[x.Path] = x.Value
	}
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(m)) // .nan and .inf, which no spec accepts
	}
	return string(b)
}

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
		a, err := parseAxis(text, p)
		if err != nil {
			return nil, err
		}
		if seen[a.path] {
			return nil, fmt.Errorf("%s is given twice", a.path)
		}
		seen[a.path] = true
		all = append(all, a)
	}
	return all, nil
}

// grid returns all combinations of the axes' values, the last axis fastest.
func grid(axes []axis) ([]candidate, error) {
	all := []candidate{nil}
	for i := range axes {
		a := &axes[i]
		if len(all)*len(a.values) > maxSettings {
			return nil, fmt.Errorf("more than %d combinations; give fewer values, such as three of %s", maxSettings, a.path)
		}
		var more []candidate
		for _, c := range all {
			for _, v := range a.values {
				more = append(more, append(c[:len(c):len(c)], spec.Setting{Path: a.path, Value: v}))
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
