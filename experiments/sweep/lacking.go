package sweep

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
)

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
