package policies

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/rollout"
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

// Forms describes the forms of policies, which are not in List: each has settings of its own, listed here, and those of the policy.
func Forms() []Info { return []Info{SafeForm(), RetryForm()} }

// RetryForm describes the form of policies that counts losses.
func RetryForm() Info {
	return Info{
		Name: ondemand.RetryPrefix + "NAME",
		Doc: "the policy NAME until after_losses losses, then on demand; the job ends unfinished after give_up_after losses; " +
			"it has the settings of NAME as well",
		Source:   "marigram; restarts that are bounded, as of torchrun and SkyPilot",
		Needs:    OneType,
		Defaults: func() sim.Policy { return ondemand.NewRetry(&anyPolicy{}) },
	}
}

// retryForm returns the form of a registered policy that counts losses.
func (p *Info) retryForm() (Info, error) {
	base := *p
	if !base.Needs.oneJob() {
		return Info{}, fmt.Errorf("policy %s%s: %s needs %v, expected a policy of one job", ondemand.RetryPrefix, base.Name, base.Name, base.Needs)
	}
	if sim.TraitsOf(base.Defaults()).KnowsFuture {
		return Info{}, fmt.Errorf("policy %s%s: %s is an oracle, expected a policy that does not know the future", ondemand.RetryPrefix, base.Name,
			base.Name)
	}
	return Info{
		Name:       ondemand.RetryPrefix + base.Name,
		Doc:        base.Name + " until after_losses losses, then on demand; the job ends unfinished after give_up_after losses",
		Source:     "marigram; " + base.Source,
		Needs:      base.Needs,
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
		Source:     "marigram; the rule of a point of no return as in Can't Be Late (NSDI 2024)",
		Needs:      MixedPools,
		ByDeadline: true,
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
	if !base.Needs.oneJob() {
		return Info{}, fmt.Errorf("policy %s%s: %s needs %v and has no safe form", safe.Prefix, base.Name, base.Name, base.Needs)
	}
	if sim.TraitsOf(base.Defaults()).KnowsFuture {
		return Info{}, fmt.Errorf("policy %s%s: %s is an oracle and has no safe form", safe.Prefix, base.Name, base.Name)
	}
	switch base.Defaults().(type) {
	case *safe.Safe, *rollout.Rollout, *mdp.MDP:
		return Info{}, fmt.Errorf("policy %s%s: %s is safe by itself", safe.Prefix, base.Name, base.Name)
	}
	return Info{
		Name:       safe.Prefix + base.Name,
		Doc:        base.Name + " while on demand alone could still meet the deadline, then on demand: " + safe.Promise,
		Source:     "marigram; " + base.Source,
		Needs:      base.Needs,
		ByDeadline: true,
		Defaults:   func() sim.Policy { return safe.New(base.Defaults()) },
	}, nil
}

// Budget is a policy for most work within a budget: its base decides until the budget is nearly spent, then what was trained is saved
// and the job ends unfinished. It goes by the name of its base.
type Budget struct {
	Base sim.Policy
	USD  float64 // for the run, above 0
}

// Name implements sim.Policy.
func (b *Budget) Name() string { return b.Base.Name() }

// Unwrap returns the policy within.
func (b *Budget) Unwrap() sim.Policy { return b.Base }

// Traits implements sim.Policy: those of the base.
func (b *Budget) Traits() sim.Traits { return sim.TraitsOf(b.Base) }

// Decide implements sim.Policy. It is asked again when half of the rest may be spent, and every minute at least: what is not foreseen
// comes on top.
func (b *Budget) Decide(v sim.View, plan *sim.Plan) {
	b.Base.Decide(v, plan)
	for _, j := range v.ActiveJobs() {
		job, hours := v.Job(j), policyutil.Affords(v, j, b.USD, plan)
		pauses := max(job.SaveTime(), time.Second) + job.PersistTime()
		plan.AddInput("time that the budget pays", hours, "h")
		switch {
		case hours > 2*pauses.Hours():
			plan.WakeIn(time.Duration(min(hours/2, 1.0/60)*3.6e12) + time.Microsecond)
		case hours > time.Second.Hours() && job.SaveTime() > 0 && !policyutil.Saved(v, j, plan):
			plan.WakeIn(time.Second)
			plan.SetReason("the budget is nearly spent: save")
		default: // not a number where nothing is held and nothing is left
			clear(plan.Jobs[j].Hold)
			plan.Jobs[j].Servers, plan.Jobs[j].Done, plan.Jobs[j].GivenUp = 0, true, true
			plan.AskOnce()
			plan.SetReason("the budget is spent")
		}
	}
}

// Goal is what an objective asks for.
type Goal uint8

// The goals.
const (
	Deadline  Goal = iota // the job done in time
	MostWork              // as much training as a budget pays for
	MeanRate              // a mean rate of samples: a deadline of the samples at that rate
	Effective             // a share of the instance time that trains (ETTR)
	goals
)

// String returns the name by which specs and results call the goal.
func (g Goal) String() string {
	return [...]string{"deadline", "most_work", "samples_per_s", "ettr"}[g]
}

// Pursues reports whether the policy can pursue a goal. All can be held to a deadline, a mean rate and a share of effective time; one
// that plans by the deadline alone has no use for a budget.
func (p *Info) Pursues(g Goal) bool { return g != MostWork || !p.ByDeadline }

// Goals returns the names of the goals that the policy can pursue.
func (p *Info) Goals() (names []string) {
	for g := range goals {
		if p.Pursues(g) {
			names = append(names, g.String())
		}
	}
	return names
}

// AtBudget returns the policy that pursues a goal with a budget in USD: p itself unless the goal is MostWork. A nil policy stays nil.
func AtBudget(p sim.Policy, g Goal, usd float64) sim.Policy {
	if g != MostWork || p == nil || math.IsInf(usd, 1) {
		return p
	}
	return &Budget{Base: p, USD: usd}
}
