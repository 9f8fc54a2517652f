package policies

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

var registered = map[string]Info{}

// Register adds a policy to those that specs, sweeps, reports and the command line
// know by name. Call it in an init function; a module of one's own can do the same
// before it calls cmd.Main. It panics where the name is taken or not as Info says,
// something is missing, the policy calls itself otherwise, or a setting is not as
// Setting says.
func Register(p Info) {
	if err := p.check(); err != nil {
		panic(fmt.Sprintf("policies: Register(%q): %v", p.Name, err))
	}
	registered[p.Name] = p
}

func (p *Info) check() error {
	switch _, taken := registered[p.Name]; {
	case !isName(p.Name):
		return fmt.Errorf("expected a name of lower-case letters, digits, - and +")
	case taken:
		return fmt.Errorf("the name is taken")
	case p.Doc == "" || p.Source == "" || p.Defaults == nil || p.Needs > SharedGPUs:
		return fmt.Errorf("expected Doc, Source, Defaults and one of the Needs")
	}
	policy := p.Defaults()
	if policy.Name() != p.Name {
		return fmt.Errorf("the policy calls itself %q", policy.Name())
	}
	for _, s := range Settings(policy) {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// isName reports whether a name begins with a letter and has only lower-case letters,
// digits, - and +.
func isName(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-+") == ""
}

// List returns the registered policies in the order of their names.
func List() []Info {
	out := make([]Info, 0, len(registered))
	for _, name := range Names() {
		out = append(out, registered[name])
	}
	return out
}

// Names returns the names of the registered policies, sorted.
func Names() []string { return slices.Sorted(maps.Keys(registered)) }

// Named returns the registered policy of a name, or the safe form of one (safe:NAME).
func Named(name string) (Info, error) {
	base, safely := strings.CutPrefix(name, safe.Prefix)
	p, known := registered[base]
	if !known {
		return Info{}, fmt.Errorf("unknown policy %q; there are %s", base, strings.Join(Names(), ", "))
	}
	if safely {
		return p.safeForm()
	}
	return p, nil
}

// New returns a policy by name with its defaults.
func New(name string) (sim.Policy, error) {
	p, err := Named(name)
	if err != nil {
		return nil, err
	}
	return p.Defaults(), nil
}
