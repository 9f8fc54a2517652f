package policies

import (
	"fmt"

	"github.com/marigram/marigram/policies/rollout"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

// Wrapper is a policy around another one, whose settings are its own, too.
type Wrapper interface {
	sim.Policy
	Unwrap() sim.Policy
}

// SafePrefix stands before the name of a policy in the name of its safe form.
const SafePrefix = safe.Prefix

// SafeForm describes the safe form of policies, which is not in List: it has settings of
// its own, listed here, and those of the policy.
func SafeForm() Info {
	return Info{
		Name: safe.Prefix + "NAME",
		Doc: "the policy NAME while on demand alone could still meet the deadline, then on demand: " + safe.Promise +
			"; it has the settings of NAME as well",
		Source: "marigram; the rule of a point of no return as in Can't Be Late (NSDI 2024)",
		Needs:  MixedPools,
		Defaults: func() sim.Policy {
			return safe.New(&anyPolicy{})
		},
	}
}

// anyPolicy stands for the policy in a safe form.
type anyPolicy struct{}

func (*anyPolicy) Name() string { return "NAME" }

func (*anyPolicy) Decide(sim.View, *sim.Plan) {}

// NeedsOnDemand reports whether a policy cannot do without instances on demand.
func NeedsOnDemand(p sim.Policy) bool {
	if own, says := p.(interface{ NeedsOnDemand() bool }); says {
		return own.NeedsOnDemand()
	}
	_, is := p.(*safe.Safe)
	return is
}

// safeForm returns the safe form of a registered policy.
func (p *Info) safeForm() (Info, error) {
	base := *p
	if base.Needs >= Gangs {
		return Info{}, fmt.Errorf("policy %s%s: %s needs %v and has no safe form", safe.Prefix, base.Name, base.Name, base.Needs)
	}
	if sim.TraitsOf(base.Defaults()).KnowsFuture {
		return Info{}, fmt.Errorf("policy %s%s: %s is an oracle and has no safe form", safe.Prefix, base.Name, base.Name)
	}
	switch base.Defaults().(type) {
	case *safe.Safe, *rollout.Rollout:
		return Info{}, fmt.Errorf("policy %s%s: %s is safe by itself", safe.Prefix, base.Name, base.Name)
	}
	return Info{
		Name:     safe.Prefix + base.Name,
		Doc:      base.Name + " while on demand alone could still meet the deadline, then on demand: " + safe.Promise,
		Source:   "marigram; " + base.Source,
		Needs:    base.Needs,
		Defaults: func() sim.Policy { return safe.New(base.Defaults()) },
	}, nil
}
