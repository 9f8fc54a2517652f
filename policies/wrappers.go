package policies

import (
	"fmt"

	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

// Wrapper is a policy around another one, whose settings are its own, too.
type Wrapper interface {
	sim.Policy
	Unwrap() sim.Policy
}

// A form makes another policy of a registered one, whose name it puts a prefix before.
type form struct {
	prefix string
	of     func(*Info) (Info, error)
}

var forms = []form{{safe.Prefix, (*Info).safeForm}, {ondemand.RetryPrefix, (*Info).retryForm}}

// Prefixes returns what stands before the name of a policy in the names of its forms.
func Prefixes() (all []string) {
	for _, f := range forms {
		all = append(all, f.prefix)
	}
	return all
}

// Forms describes the forms of policies, which are not in List: each has settings of its own, listed here, and those
// of the policy.
func Forms() []Info { return []Info{SafeForm(), RetryForm()} }

// RetryForm describes the form of policies that counts losses.
func RetryForm() Info {
	return Info{
		Name: ondemand.RetryPrefix + "NAME",
		Doc: "the policy NAME until after_losses losses, then on demand; " +
			"the job ends unfinished after give_up_after losses; it has the settings of NAME as well",
		Source:   "marigram; restarts that are bounded, as of torchrun and SkyPilot",
		Needs:    OneType,
		Defaults: func() sim.Policy { return ondemand.NewRetry(&anyPolicy{}) },
	}
}

// retryForm returns the form of a registered policy that counts losses.
func (p *Info) retryForm() (Info, error) {
	base := *p
	name := ondemand.RetryPrefix + base.Name
	if !base.Needs.oneJob() {
		return Info{}, fmt.Errorf("policy %s: %s needs %v, expected a policy of one job", name, base.Name, base.Needs)
	}
	if sim.TraitsOf(base.Defaults()).KnowsFuture {
		return Info{}, fmt.Errorf("policy %s: %s is an oracle, expected a policy that does not know the future",
			name, base.Name)
	}
	return Info{
		Name: name,
		Doc: base.Name + " until after_losses losses, then on demand; " +
			"the job ends unfinished after give_up_after losses",
		Source:     "marigram; " + base.Source,
		Needs:      base.Needs,
		Assumes:    base.Assumes,
		ByDeadline: base.ByDeadline,
		Defaults:   func() sim.Policy { return ondemand.NewRetry(base.Defaults()) },
	}, nil
}

// SafeForm describes the safe form of policies, which is not in List: it has settings of
// its own, listed here, and those of the policy.
func SafeForm() Info {
	return Info{
		Name: safe.Prefix + "NAME",
		Doc: "the policy NAME while on demand alone could still meet the deadline, then on demand: " + safe.Promise +
			"; it has the settings of NAME as well",
		Source:     "marigram; point of no return as in Can't Be Late (NSDI 2024)",
		Needs:      MixedPools,
		ByDeadline: true,
		Defaults: func() sim.Policy {
			return safe.New(&anyPolicy{})
		},
	}
}

// Promises reports whether a policy keeps safe.Promise: the safe forms, and the policies that have one within.
func Promises(p sim.Policy) bool {
	switch p.(type) {
	case *safe.Safe, *mdp.MDP:
		return true
	}
	return false
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
	name := safe.Prefix + base.Name
	if !base.Needs.oneJob() {
		return Info{}, fmt.Errorf("policy %s: %s needs %v and has no safe form", name, base.Name, base.Needs)
	}
	if sim.TraitsOf(base.Defaults()).KnowsFuture {
		return Info{}, fmt.Errorf("policy %s: %s is an oracle and has no safe form", name, base.Name)
	}
	if Promises(base.Defaults()) {
		return Info{}, fmt.Errorf("policy %s: %s is safe by itself", name, base.Name)
	}
	return Info{
		Name:       name,
		Doc:        base.Name + " while on demand alone could still meet the deadline, then on demand: " + safe.Promise,
		Source:     "marigram; " + base.Source,
		Needs:      base.Needs,
		Assumes:    base.Assumes,
		ByDeadline: true,
		Defaults:   func() sim.Policy { return safe.New(base.Defaults()) },
	}, nil
}
