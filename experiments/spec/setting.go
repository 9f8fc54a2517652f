package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/policies"
)

// Setting gives a spec a value other than its file's.
type Setting struct {
	// Path names the value: keys joined by dots, elements of lists by their
	// number, as in "market.replay.notice_s" or "market.pools.0.quota". "policy"
	// chooses policies by name (one, or a list); "policy.NAME" is a setting of
	// every policy of the spec that has it.
	Path string
	// Value as YAML decodes it: a number, text, truth value, list or map.
	Value any
}

// Parameters returns settings as a JSON object: values by path, in the order of the paths.
func Parameters(settings []Setting) string {
	values := map[string]any{}
	for _, setting := range settings {
		values[setting.Path] = setting.Value
	}
	text, err := json.Marshal(values)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(values)) // .nan and .inf, which no spec accepts
	}
	return string(text)
}

// ParseValues reads values of a path from a command line: "market.replay.notice_s=30,120".
// They are YAML, with commas between them.
func ParseValues(text string) (path string, values []any, err error) { return document.Values(text) }

// ParseSetting reads a setting from a command line: "market.replay.notice_s=30". The
// value is YAML.
func ParseSetting(text string) (Setting, error) {
	path, values, err := document.Values(text)
	if err == nil && len(values) != 1 {
		err = fmt.Errorf("%q: %d values, expected one; marigram sweep takes several", text, len(values))
	}
	if err != nil {
		return Setting{}, err
	}
	return Setting{Path: path, Value: values[0]}, nil
}

const (
	policyPath        = "policy"
	policySettingPath = policyPath + "."
)

// ofPolicies reports whether x is about the policies, which are known only when
// the rest of the spec is.
func (x *Setting) ofPolicies() bool {
	return x.Path == policyPath || IsPolicySetting(x.Path)
}

// IsPolicySetting reports whether a path is that of a setting of policies.
func IsPolicySetting(path string) bool { return strings.HasPrefix(path, policySettingPath) }

// HasSetting reports whether a policy has the setting of a path such as
// "policy.patience_s"; true of a policy that is not known.
func HasSetting(policy, path string) bool {
	p := Policy{Name: policy, Settings: map[string]any{strings.TrimPrefix(path, policySettingPath): 0}}
	_, err := p.New()
	var unknown *policies.UnknownSettingError
	return !errors.As(err, &unknown)
}

// apply sets what x says. Errors name the setting.
func (s *Spec) apply(x Setting) error {
	var err error
	switch name, of := strings.CutPrefix(x.Path, policySettingPath); {
	case x.Path == policyPath:
		err = s.choose(x.Value)
	case of:
		err = s.setPolicies(name, x.Value)
	default:
		err = s.doc.Set(s, x.Path, x.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", x.Path, err)
	}
	return nil
}

func (s *Spec) choose(value any) error {
	names := []string{fmt.Sprint(value)}
	if given, ok := value.([]string); ok {
		names = given
	} else if list, ok := value.([]any); ok {
		names = nil
		for _, name := range list {
			names = append(names, fmt.Sprint(name))
		}
	}
	return s.Choose(names)
}

// setPolicies gives a setting to every policy that has it, of which there is at
// least one.
func (s *Spec) setPolicies(name string, value any) error {
	found, known := false, []string(nil)
	for i := range s.Policies {
		p := s.Policies[i]
		p.Settings = map[string]any{name: value}
		_, err := p.New()
		var unknown *policies.UnknownSettingError
		switch {
		case errors.As(err, &unknown):
			known = append(known, unknown.Known...)
			continue
		case err != nil:
			return err
		}
		settings := map[string]any{}
		maps.Copy(settings, s.Policies[i].Settings)
		settings[name] = value
		s.Policies[i].Settings, found = settings, true
	}
	if !found {
		return fmt.Errorf("none of the policies has a setting %q%s", name, registry.DidYouMean("; ", name, known))
	}
	return nil
}
