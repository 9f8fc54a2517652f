package tune

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/policies"
)

// axis is one path of a spec that is tuned, with its values.
type axis struct {
	path   string
	values []any
}

// sharedSettings returns what axes of one value change beside the policy: all candidates have it, and so does the base,
// such as the horizon by which traces are cut into parts.
func sharedSettings(axes []axis) (shared []spec.Setting) {
	for _, a := range axes {
		if len(a.values) == 1 && !spec.IsPolicySetting(a.path) {
			shared = append(shared, spec.Setting{Path: a.path, Value: a.values[0]})
		}
	}
	return shared
}

// parseAxis reads "path=a,b" or, of a setting of names or a switch, "path".
func parseAxis(text string, p *spec.Policy) (axis, error) {
	path, values, given := strings.Cut(text, "=")
	if strings.Contains(values, "..") {
		return axis{}, fmt.Errorf("%q: %s", text, gone.Instead("tune", "range"))
	}
	if given {
		return parseValues(text, p)
	}
	setting, err := settingOf(path, p)
	if err != nil {
		return axis{}, fmt.Errorf("%q: %w", text, err)
	}
	if _, isNumber := setting.Value.(float64); isNumber {
		return axis{}, fmt.Errorf("%q: %s", text, gone.Instead("tune", "range"))
	}
	if setting.Names == nil {
		return axis{path: path, values: []any{false, true}}, nil
	}
	all := make([]any, len(setting.Names))
	for i, name := range setting.Names {
		all[i] = name
	}
	return axis{path: path, values: all}, nil
}

// parseValues reads "path=a,b".
func parseValues(text string, p *spec.Policy) (axis, error) {
	path, values, err := spec.ParseValues(text)
	if err == nil && spec.IsPolicySetting(path) {
		_, err = settingOf(path, p)
	}
	if err == nil && len(values) == 0 {
		err = fmt.Errorf("%q, expected at least one value", text)
	}
	if err != nil {
		return axis{}, err
	}
	if path == "policy" || path == "objectives" || path == "seed" || path == "seeds" {
		return axis{}, fmt.Errorf("%q: %s is no setting to tune", text, path)
	}
	return axis{path: path, values: values}, nil
}

// settingOf returns the setting of a policy that a path names, with its value in the spec.
func settingOf(path string, p *spec.Policy) (*policies.Setting, error) {
	if !spec.IsPolicySetting(path) {
		return nil, fmt.Errorf("only settings of the policy (policy.SETTING) say what they take; expected path=a,b")
	}
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	_, name := spec.PolicySetting(path)
	all := policies.Settings(policy)
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	unknown := &policies.UnknownSettingError{Policy: p.Name, Setting: name}
	for i := range all {
		unknown.Known = append(unknown.Known, all[i].Name)
	}
	return nil, unknown
}
