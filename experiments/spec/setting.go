package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/policies"
)

// Setting gives a spec a value other than its file's.
type Setting struct {
	// Path names the value: keys joined by dots, elements of lists by their
	// number, as in "market.replay.notice_s" or "market.pools.0.quota". "policy"
	// chooses policies by name (one, or a list); "policy.SETTING" is a setting of
	// every policy of the spec that has it, "policy.NAME.SETTING" that of the policy
	// of this name.
	Path string
	// Value as YAML decodes it: a number, text, truth value, list or map.
	Value any
	// Name is what results call the value; empty: the value itself.
	Name string `json:",omitempty"`
}

// Parameters returns settings as a JSON object: values, or their names, by path, in the order of the paths.
func Parameters(settings []Setting) string {
	values := map[string]any{}
	for _, setting := range settings {
		values[setting.Path] = setting.Value
		if setting.Name != "" {
			values[setting.Path] = setting.Name
		}
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

// PolicySetting takes the path of a setting of policies apart: the policy that it names, empty for all, and the
// setting.
func PolicySetting(path string) (policy, setting string) {
	path = strings.TrimPrefix(path, policySettingPath)
	at := strings.LastIndexByte(path, '.')
	return path[:max(at, 0)], path[at+1:]
}

// HasSetting reports whether a policy has the setting of a path such as
// "policy.patience_s"; true of a policy that is not known.
func HasSetting(policy, path string) bool {
	named, setting := PolicySetting(path)
	if named != "" && named != policy {
		return false
	}
	p := Policy{Name: policy, Settings: map[string]any{setting: 0}}
	_, err := p.New()
	var unknown *policies.UnknownSettingError
	return !errors.As(err, &unknown)
}

// apply sets what x says. Errors name the setting.
func (s *Spec) apply(x Setting) error {
	var err error
	switch {
	case x.Path == policyPath:
		err = s.choose(x.Value)
	case IsPolicySetting(x.Path):
		policy, setting := PolicySetting(x.Path)
		err = s.setPolicies(policy, setting, x.Value)
	default:
		return s.doc.Set(s, x.Path, x.Value)
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

// setPolicies gives a setting to the policy of a name, or to every policy that has it where there is none; there is at
// least one.
func (s *Spec) setPolicies(policy, setting string, value any) error {
	var changed, known, names []string
	for i := range s.Policies {
		p := s.Policies[i]
		names = append(names, p.Name)
		if policy != "" && policy != p.Name {
			continue
		}
		p.Settings = map[string]any{setting: value}
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
		settings[setting] = value
		s.Policies[i].Settings = settings
		changed = append(changed, p.Name)
	}
	switch {
	case policy != "" && !slices.Contains(names, policy):
		return fmt.Errorf("the spec has no policy %q, expected one of %s", policy, strings.Join(names, ", "))
	case policy != "" && changed == nil:
		return fmt.Errorf("the policy has no setting %q%s", setting, registry.DidYouMean("; ", setting, known))
	case changed == nil:
		return fmt.Errorf("none of the policies has a setting %q%s", setting, registry.DidYouMean("; ", setting, known))
	case policy == "" && len(changed) > 1:
		s.shared = append(s.shared, fmt.Sprintf("policy.%s changes %s; policy.%s.%[1]s changes one alone", setting,
			strings.Join(changed, ", "), changed[0]))
	}
	return nil
}
