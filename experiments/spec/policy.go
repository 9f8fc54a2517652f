package spec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/marigram/marigram/internal/spelling"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Policy is a policy with settings other than its defaults.
type Policy struct {
	Name string `json:"name" jsonschema:"name of a policy; marigram policies lists them"`
	// Settings by name, as YAML decodes them: numbers, true or false, names.
	Settings map[string]any `json:"settings,omitempty" jsonschema:"settings by name (marigram policies lists them)"`

	Throughput *Throughput `json:"throughput,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
	Recovery   *Recovery   `json:"recovery,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
}

func (s *Spec) checkPolicies() error {
	if len(s.Policies) == 0 {
		for _, info := range policies.List() {
			if _, oracle := info.Defaults().(sim.Oracle); !oracle && s.fits(info.Needs) && s.survives(info.Needs) {
				s.Policies = append(s.Policies, Policy{Name: info.Name})
			}
		}
	}
	seen := map[string]bool{}
	for i := range s.Policies {
		p, at := &s.Policies[i], fmt.Sprintf("$.policies[%d]", i)
		if seen[p.Name] {
			return s.ErrorAt(at+".name", "%q is given twice", p.Name)
		}
		seen[p.Name] = true
		if err := s.checkPolicy(p); err != nil {
			return s.ErrorAt(at, "%v", err)
		}
	}
	return nil
}

// New makes the policy with its settings.
func (p *Policy) New() (sim.Policy, error) {
	policy, _, err := p.configured()
	return policy, err
}

// configured is New with warnings of former spellings.
func (p *Policy) configured() (policy sim.Policy, warnings []string, err error) {
	if policy, err = policies.New(p.Name); err != nil {
		if near := spelling.Nearest(p.Name, policies.Names()); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
		return nil, nil, err
	}
	warnings, err = policies.Configure(policy, p.Settings)
	var unknown *policies.UnknownSettingError
	if errors.As(err, &unknown) {
		if near := spelling.Nearest(unknown.Setting, unknown.Known); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
	}
	return policy, warnings, err
}

// Choose keeps the named policies of the spec, in the order of the names; one
// that the spec does not have gets its default settings.
func (s *Spec) Choose(names []string) error {
	var chosen []Policy
	for _, name := range names {
		p := Policy{Name: name}
		for _, has := range s.Policies {
			if has.Name == name {
				p = has
			}
		}
		if err := s.checkPolicy(&p); err != nil {
			return err
		}
		if slices.ContainsFunc(chosen, func(c Policy) bool { return c.Name == name }) {
			return fmt.Errorf("%q is given twice", name)
		}
		chosen = append(chosen, p)
	}
	if chosen == nil {
		return fmt.Errorf("expected at least one policy")
	}
	s.Policies = chosen
	return nil
}
