package spec

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/sim"
)

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
			n = max(n, deadline.Instances(m, job.Objective, job.ParameterServers, seconds(set["changeover_s"]),
				seconds(set["poll_s"]), atOnce, s.Boot()))
		}
	}
	if n <= onDemand {
		return nil
	}
	return []string{fmt.Sprintf("%s has no on-demand fallback: it uses %d instances at once, but on_demand_quota is %d",
		p.Name, n, onDemand)}
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
	return []string{fmt.Sprintf("%s replicates computation, but has the same throughput as policies that do "+
		"not (%s): give it a throughput of its own",
		p.Name, strings.Join(others, ", "))}
}
