package tune

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
)

// axis is one path of a spec that is tuned: values, or a range of numbers.
type axis struct {
	path    string
	values  []any             // of a grid
	setting *policies.Setting // of a range: what takes its numbers
	low, up float64
	present float64 // the setting's value in the spec
}

// ranged reports whether the axis is a range.
func (a *axis) ranged() bool { return a.values == nil }

// sharedSettings returns what axes of one value change beside the policy: all candidates have it, and so does the base, such
// as the horizon by which traces are cut into parts.
func sharedSettings(axes []axis) (shared []spec.Setting) {
	for _, a := range axes {
		if len(a.values) == 1 && !spec.IsPolicySetting(a.path) {
			shared = append(shared, spec.Setting{Path: a.path, Value: a.values[0]})
		}
	}
	return shared
}

// parseAxis reads "path=a,b", "path=a..b" or "path".
func parseAxis(text string, p *spec.Policy) (axis, error) {
	path, values, given := strings.Cut(text, "=")
	low, up, ranged := strings.Cut(values, "..")
	if given && !ranged {
		return parseValues(text, p)
	}
	setting, err := settingOf(path, p)
	if err != nil {
		return axis{}, fmt.Errorf("%q: %w", text, err)
	}
	present, number := setting.Value.(float64)
	switch {
	case !given && setting.Names != nil:
		all := make([]any, len(setting.Names))
		for i, name := range setting.Names {
			all[i] = name
		}
		return axis{path: path, values: all}, nil
	case !given && !number:
		return axis{path: path, values: []any{false, true}}, nil
	case !number:
		return axis{}, fmt.Errorf("%q: a range of a setting that is no number, expected %s", text, setting.Expected())
	}
	a := axis{path: path, setting: setting, low: setting.Min, up: setting.Max, present: present}
	if given {
		var wrong, bad error
		a.low, wrong = strconv.ParseFloat(low, 64)
		a.up, bad = strconv.ParseFloat(up, 64)
		if wrong != nil || bad != nil || !(a.low < a.up) || a.low < setting.Min || a.up > setting.Max {
			return axis{}, fmt.Errorf("%q: expected two numbers, the lower one first, within %s", text, setting.Expected())
		}
	}
	return a, nil
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
		return nil, fmt.Errorf("only settings of the policy (policy.NAME) have bounds to take a range from; expected path=a,b")
	}
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(path, "policy.")
	all := policies.Settings(policy)
	for i := range all {
		if policies.SameSetting(policy, all[i].Name, name) {
			return &all[i], nil
		}
	}
	unknown := &policies.UnknownSettingError{Policy: p.Name, Setting: name}
	for i := range all {
		unknown.Known = append(unknown.Known, all[i].Name)
	}
	return nil, unknown
}

// wide is how many times a range's upper end is its lower one from which on numbers are
// searched by their logarithm.
const wide = 50

// scale is what a range begins with on the logarithmic scale; 0: the scale is linear.
func (a *axis) scale() float64 {
	if step := max(a.low, (a.up-a.low)/1000); a.up >= wide*step {
		return step
	}
	return 0
}

// at returns the value at a place from 0 to 1 on the axis: of a range to three digits.
func (a *axis) at(u float64) any {
	if !a.ranged() {
		return a.values[min(int(u*float64(len(a.values))), len(a.values)-1)]
	}
	x := a.low + u*(a.up-a.low)
	if s := a.scale(); s > 0 {
		x = a.low + s*math.Expm1(u*math.Log1p((a.up-a.low)/s))
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64) // as it was written
	if x = a.setting.Nearest(min(max(x, a.low), a.up)); x == math.Trunc(x) {
		return int(x)
	}
	return x
}

// place returns the place of the spec's own value on the axis, as far as there is one.
func (a *axis) place() float64 {
	if !a.ranged() {
		return 0.5
	}
	x := min(max(a.present, a.low), a.up) - a.low
	if s := a.scale(); s > 0 {
		return math.Log1p(x/s) / math.Log1p((a.up-a.low)/s)
	}
	return x / (a.up - a.low)
}
