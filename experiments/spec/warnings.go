package spec

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/sim"
)

// warnNet warns of a deadline policy that has no safety net: all the instances
// that it takes for some objective cannot be had on demand at once.
func (s *Spec) warnNet(p *Policy, m sim.Model) []string {
	if p.plugin() != nil {
		return nil // nobody knows what it will hold
	}
	policy, err := p.New()
	if err != nil || policyNeeds(p.base()) != policies.OneType {
		return nil // what is wrong is reported elsewhere
	}
	set := policies.Numbers(policy)
	onDemand, n := s.onDemand(), int(set["instances"])
	if n == 0 {
		atOnce := max(s.fleetOf(policies.RestartingPipelines), onDemand)
		for o := range s.Objectives {
			job := s.Job(o, m)
			n = max(n, deadline.Instances(m, job.Objective, job.ParameterServers, units.Seconds(set["changeover_s"]),
				units.Seconds(set["poll_s"]), atOnce, s.Boot()))
		}
	}
	if n <= onDemand {
		return nil
	}
	return []string{fmt.Sprintf("%s has no on-demand fallback: it uses %d instances at once, but on_demand_quota is %d",
		p.Name, n, onDemand)}
}

// smallShare is the share of runs below which an objective says next to nothing.
const smallShare = 0.1

// Warnings are about the spec itself: what its model says of it, and values that change nothing.
func (s *Spec) Warnings() []string {
	return slices.Concat(s.doc.Warnings(), s.shared, s.warnUnused(), s.doubts())
}

// doubts are about what the spec hardly means, whatever its market and its model.
func (s *Spec) doubts() (warnings []string) {
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if n := s.TimelineSeeds(); s.Timelines != nil && s.Starts == (Starts{}) && n > s.Seeds {
		warn("timelines is %d, but the number of seeds is %d", n, s.Seeds)
	}
	for _, o := range s.Objectives {
		if o.TimeS > s.HorizonS {
			warn("objective %s: horizon_s (%v) is before its deadline (%v s): "+
				"runs that are not done by then are cut, and count as late", o.Name, s.HorizonS, o.TimeS)
		}
		if kind := o.Kind(); s.Bound && kind.ByWork {
			warn("objective %s: %s has no bound of cost; "+
				"marigram bound has what no policy does more for the budget", o.Name, kind.Name)
		}
		if o.Share != nil && *o.Share < smallShare {
			warn("objective %s: a share of %v lets %v of the runs miss it", o.Name, *o.Share, 1-*o.Share)
		}
	}
	warnings = append(warnings, s.warnUnknownGoals()...)
	warnings = append(warnings, s.warnOutsidePromises()...)
	warnings = append(warnings, s.warnSlowForEver()...)
	for i := range s.Policies {
		p := &s.Policies[i]
		_, rule := p.Settings["rule"]
		if policy, err := p.New(); err == nil && rule && policies.Numbers(policy)["interval_s"] > 0 {
			warn("policy %s: rule has no effect, because interval_s is %v",
				p.Name, policies.Numbers(policy)["interval_s"])
		}
	}
	return warnings
}

// warnUnknownGoals says what no policy knows of the goals: all plan by a deadline or by none.
func (s *Spec) warnUnknownGoals() (warnings []string) {
	for i := range s.Objectives {
		o := &s.Objectives[i]
		if unknown := o.Kind().Unknown; unknown != "" {
			warnings = append(warnings, fmt.Sprintf("objective %s: no policy knows %s", o.Name, unknown))
		}
	}
	return warnings
}

// warnOutsidePromises warns of policies that promise the deadline where machines on demand fail, or any become slow:
// both are outside the promise.
func (s *Spec) warnOutsidePromises() (warnings []string) {
	var outside []string
	for i := range s.Market.Pools {
		if s.Market.Pools[i].Failures != nil {
			outside = append(outside, fmt.Sprintf("machines on demand fail (market.pools[%d].failures)", i))
			break
		}
	}
	for i := range s.Market.Pools {
		if s.Market.Pools[i].Slow != nil {
			outside = append(outside, fmt.Sprintf("machines become slow (market.pools[%d].slow)", i))
			break
		}
	}
	for i := range s.Policies {
		p := &s.Policies[i]
		policy, err := p.New()
		if err != nil || !policies.Promises(policy) {
			continue
		}
		for _, what := range outside {
			warnings = append(warnings, fmt.Sprintf("policy %s: %s, which is outside its promise "+
				"to meet the deadline: leave more time, or look at the share of runs that meet it", p.Name, what))
		}
	}
	return warnings
}

// warnSlowForEver warns of servers that are replaced as they are slow and not repaired then: the job that gives one
// back may get it again at once, and go on so.
func (s *Spec) warnSlowForEver() (warnings []string) {
	for i := range s.Market.Servers {
		x := &s.Market.Servers[i]
		if x.Slow == nil || x.Slow.RepairH > 0 {
			continue
		}
		out := "with repair_h it is away, and mended"
		if x.Failures != nil { // which have repairs of their own, of failures alone
			out = "with keep or rebalance no job gives it back"
		}
		switch x.Slow.Do {
		case "replace", "ski-rental", "escalate":
			warnings = append(warnings, fmt.Sprintf("market.servers[%d].slow.do: %s without repair_h: "+
				"a server that is replaced stays slow and free, and the same job may get it again and again; %s",
				i, x.Slow.Do, out))
		}
	}
	return warnings
}
