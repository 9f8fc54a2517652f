package policies

import (
	"fmt"
	"strings"
	"sync"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

var registered = registry.New[known]("policy")

// known is a registered policy. Its settings are looked at when it is first asked for:
// those of all would take a tenth of the program's start.
type known struct {
	Info
	settings func() error
}

// Register adds a policy to those that specs, sweeps, reports and the command line
// know by name. Call it in an init function; a module of one's own can do the same
// before it calls cmd.Main. It panics where the name is taken or not as Info says,
// something is missing, or the policy calls itself otherwise. Where a setting is not as
// Setting says, Named and List panic.
func Register(p Info) {
	if err := p.check(); err != nil {
		panic(fmt.Sprintf("policies: Register(%q): %v", p.Name, err))
	}
	registered.Add(p.Name, known{p, sync.OnceValue(p.checkSettings)})
}

// register registers a policy under its own name.
func register(doc, source string, needs Needs, policy func() sim.Policy) {
	Register(Info{Name: policy().Name(), Doc: doc, Source: source, Needs: needs, Defaults: policy})
}

// registerByDeadline registers a policy whose plan follows from the deadline alone.
func registerByDeadline(doc, source string, needs Needs, policy func() sim.Policy) {
	Register(Info{Name: policy().Name(), Doc: doc, Source: source, Needs: needs, Defaults: policy, ByDeadline: true})
}

func (p *Info) check() error {
	_, taken := registered.Get(p.Name)
	switch {
	case !isName(p.Name):
		return fmt.Errorf("expected a name of lower-case letters, digits, - and +")
	case taken:
		return fmt.Errorf("the name is taken")
	case p.Doc == "" || p.Source == "" || p.Defaults == nil || p.Needs > Layouts:
		return fmt.Errorf("expected Doc, Source, Defaults and one of the Needs")
	}
	for _, a := range p.Assumes {
		if a.Name == "" || strings.Trim(a.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || a.Doc == "" {
			return fmt.Errorf("an assumption is %q: %q, expected a name of lower-case letters, digits and _, and a doc",
				a.Name, a.Doc)
		}
	}
	policy := p.Defaults()
	if policy.Name() != p.Name {
		return fmt.Errorf("the policy calls itself %q", policy.Name())
	}
	return nil
}

func (p *Info) checkSettings() error {
	for _, s := range Settings(p.Defaults()) {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// info returns what was registered.
func (k known) info() Info {
	if err := k.settings(); err != nil {
		panic(fmt.Sprintf("policies: Register(%q): %v", k.Name, err))
	}
	return k.Info
}

// isName reports whether a name begins with a letter and has only lower-case letters,
// digits, - and +.
func isName(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-+") == ""
}

// List returns the registered policies in the order of their names.
func List() []Info {
	var out []Info
	for _, k := range registered.All() {
		out = append(out, k.info())
	}
	return out
}

// Names returns the names of the registered policies, sorted.
func Names() []string { return registered.Names() }

// Named returns the registered policy of a name, or a form of one (safe:NAME, retry:NAME). The error names the nearest.
func Named(name string) (Info, error) {
	for _, form := range forms {
		base, found := strings.CutPrefix(name, form.prefix)
		if found {
			info, err := registeredInfo(base)
			if err != nil {
				return Info{}, err
			}
			return form.of(&info)
		}
	}
	return registeredInfo(name)
}

// registeredInfo returns what was registered by a name. The error names the nearest.
func registeredInfo(name string) (Info, error) {
	found, err := registered.Named(name)
	if err != nil {
		return Info{}, err
	}
	return found.info(), nil
}

// New returns a policy by name with its defaults.
func New(name string) (sim.Policy, error) {
	p, err := Named(name)
	if err != nil {
		return nil, err
	}
	return p.Defaults(), nil
}
