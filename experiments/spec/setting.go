package spec

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"github.com/marigram/marigram/internal/spelling"
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
		err = s.set(x)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", x.Path, err)
	}
	return nil
}

func (s *Spec) choose(value any) error {
	names := []string{fmt.Sprint(value)}
	if list, ok := value.([]any); ok {
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
	found := false
	for i := range s.Policies {
		p := Policy{Name: s.Policies[i].Name, Settings: map[string]any{name: value}}
		policy, warnings, err := p.configured()
		var unknown *policies.UnknownSettingError
		switch {
		case errors.As(err, &unknown):
			continue
		case err != nil:
			return err
		}
		s.warn(warnings...)
		settings := map[string]any{}
		maps.Copy(settings, s.Policies[i].Settings)
		maps.DeleteFunc(settings, func(other string, _ any) bool { return policies.SameSetting(policy, name, other) })
		settings[name] = value
		s.Policies[i].Settings, found = settings, true
	}
	if !found {
		return fmt.Errorf("none of the policies has a setting %q", name)
	}
	return nil
}

// set follows a path through the spec and decodes the value there, strictly.
func (s *Spec) set(x Setting) error {
	v := reflect.ValueOf(s).Elem()
	for key := range strings.SplitSeq(x.Path, ".") {
		var err error
		if v, err = s.descend(v, key); err != nil {
			return err
		}
	}
	if err := s.whole(v.Type(), x.Value, "$."+x.Path); err != nil {
		return fmt.Errorf("%v, expected a whole number", x.Value)
	}
	text, err := yaml.Marshal(x.Value)
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Pointer { // of which the YAML library would leave nil as it is
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	v.SetZero()
	if err := s.decodeInto(v, text); err != nil {
		var y yaml.Error
		if errors.As(err, &y) {
			return fmt.Errorf("%v: %s%s", x.Value, y.GetMessage(), hint(y.GetMessage(), fmt.Sprint(x.Value)))
		}
		return err
	}
	return nil
}

// decodeInto decodes a text into a part of the spec, strictly.
func (s *Spec) decodeInto(v reflect.Value, text []byte) error {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return err
	}
	body := tree.Docs[0].Body
	s.usePresentNames(body, v.Type())
	return yaml.NodeToValue(body, v.Addr().Interface(), yaml.Strict())
}

// descend returns the field of a struct, or the element of a list, that has the
// key.
func (s *Spec) descend(v reflect.Value, key string) (reflect.Value, error) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		return s.fieldNamed(v, key)
	case reflect.Slice:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= v.Len() {
			return v, fmt.Errorf("no element %q, expected 0 to %d", key, v.Len()-1)
		}
		return v.Index(i), nil
	}
	return v, fmt.Errorf("there is no key %q: the path goes beyond a value of type %v", key, v.Type())
}

// fieldNamed returns the field of a struct that has the key, or once had it.
func (s *Spec) fieldNamed(v reflect.Value, name string) (reflect.Value, error) {
	if f, found := fieldOf(v.Type(), name); found {
		if present := keyOf(f); present != name {
			s.warnRenamed(name, present)
		}
		return v.FieldByIndex(f.Index), nil
	}
	var known []string
	for i := range v.NumField() {
		known = append(known, keyOf(v.Type().Field(i)))
	}
	err := fmt.Errorf("no key %q", name)
	if near := spelling.Nearest(name, known); near != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return v, err
}
