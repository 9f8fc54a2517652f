package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/sim"
)

// pipelineNeeds is what policies need of a pipelined model, by what a loss does.
var pipelineNeeds = map[pipeline.LossRule]policies.Needs{
	pipeline.LossRestarts:       policies.RestartingPipelines,
	pipeline.LossCovered:        policies.CoveredPipelines,
	pipeline.LossReinstantiated: policies.ReplicatedPipelines,
	pipeline.LossMigrated:       policies.MigratingPipelines,
}

func policyNeeds(name string) policies.Needs {
	if info, err := policies.Named(name); err == nil {
		return info.Needs
	}
	return policies.OneType
}

// oneType reports whether all pools are of one instance type.
func (s *Spec) oneType() bool {
	return !slices.ContainsFunc(s.Market.Pools, func(p Pool) bool { return p.Type != s.Market.Pools[0].Type })
}

// fits reports whether the spec's model is of a kind that is needed.
func (s *Spec) fits(needs policies.Needs) bool {
	switch needs {
	case policies.OneType:
		return s.oneType()
	case policies.WorkerModels:
		return s.Model.Pipelined == nil
	case policies.AnyModel:
		return s.Model.Pipelined == nil || s.onDemand() > 0
	}
	return s.Model.Pipelined != nil
}

// survives reports whether a policy is made for what a loss does to the spec's
// job, and can hold its smallest layout. What cannot be read is reported later.
func (s *Spec) survives(needs policies.Needs) bool {
	if s.Model.Pipelined == nil || needs == policies.OneType {
		return true
	}
	model, err := s.pipelined(&Policy{})
	if err != nil {
		return needs == policies.AnyModel
	}
	return (needs == policies.AnyModel || needs == pipelineNeeds[model.recovery.Loss]) && leastInstances(model) <= s.fleetOf(needs)
}

// fleetOf returns the most instances that a policy for pipelines can hold at once:
// on demand those that nobody interrupts, on spot those that losses are for.
func (s *Spec) fleetOf(needs policies.Needs) int {
	onDemand := 0
	for i := range s.Market.Pools {
		onDemand += s.Market.Pools[i].OnDemandQuota
	}
	switch needs {
	case policies.OneType:
		return s.fleet()
	case policies.AnyModel:
		return onDemand
	}
	return s.fleet() - onDemand
}

// onDemand returns how many instances of one pool can be had on demand at once.
func (s *Spec) onDemand() int {
	n := 0
	for i := range s.Market.Pools {
		n = max(n, s.Market.Pools[i].OnDemandQuota)
	}
	return n
}

// numbers returns the settings of a policy that are numbers.
func numbers(policy sim.Policy) map[string]float64 {
	set := map[string]float64{}
	for _, x := range policies.Settings(policy) {
		if n, is := x.Value.(float64); is {
			set[x.Name] = n
		}
	}
	return set
}

// warnNet warns of a deadline policy that has no safety net: all the instances
// that it takes for some objective cannot be had on demand at once.
func (s *Spec) warnNet(p *Policy, m sim.Model) []string {
	policy, err := p.New()
	if err != nil || policyNeeds(p.Name) != policies.OneType {
		return nil // what is wrong is reported elsewhere
	}
	set := numbers(policy)
	onDemand, n := s.onDemand(), int(set["instances"])
	if n == 0 {
		atOnce := max(s.fleetOf(policies.RestartingPipelines), onDemand)
		for o := range s.Objectives {
			job := s.Job(o, m)
			n = max(n, deadline.Instances(m, job.Objective, job.ParameterServers, seconds(set["changeover_s"]), seconds(set["poll_s"]), atOnce))
		}
	}
	if n <= onDemand {
		return nil
	}
	return []string{fmt.Sprintf("%s has no on-demand fallback: it uses %d instances at once, but on_demand_quota is %d", p.Name, n, onDemand)}
}

// warnReplicating warns of a policy that replicates computation (Bamboo) where
// others that do not have the same throughput: that contains the replication or
// it does not.
func (s *Spec) warnReplicating(p *Policy) []string {
	if policyNeeds(p.Name) != policies.CoveredPipelines {
		return nil
	}
	var others []string
	speed, _ := s.parts(p)
	for i := range s.Policies {
		same, r := s.parts(&s.Policies[i])
		if *same == *speed && r.Loss != pipeline.LossCovered.String() && r.Redundant == 0 {
			others = append(others, s.Policies[i].Name)
		}
	}
	if others == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s replicates computation, but has the same throughput as policies that do not (%s): give it a throughput of its own",
		p.Name, strings.Join(others, ", "))}
}

// checkPolicy reports what is wrong with a policy's settings, and whether the
// model is one for it.
func (s *Spec) checkPolicy(p *Policy) error {
	_, warnings, err := p.configured()
	if err != nil {
		return err
	}
	s.warn(warnings...)
	switch needs := policyNeeds(p.Name); {
	case s.fits(needs):
	case needs == policies.OneType:
		return fmt.Errorf("policy %s needs %v, but the pools have several", p.Name, needs)
	case needs == policies.AnyModel:
		return fmt.Errorf("policy %s needs on-demand instances, but on_demand_quota is 0 in all pools", p.Name)
	default:
		kind := "asynchronous, with workers"
		if s.Model.Pipelined != nil {
			kind = "pipelined"
		}
		return fmt.Errorf("policy %s needs %v, but the model is %s", p.Name, needs, kind)
	}
	if s.Model.Pipelined == nil && (p.Throughput != nil || p.Recovery != nil) {
		return fmt.Errorf("policy %s has throughput or recovery, but the model is not pipelined", p.Name)
	}
	return nil
}
