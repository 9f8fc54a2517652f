package pipelined

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
)

// warnReplicating warns of a policy that replicates computation (Bamboo) where others that do not have the same
// throughput: that contains the replication or it does not.
func (p *Pipelined) warnReplicating(s model.Study, policy *model.Policy) []string {
	if policy.Needs != policies.CoveredPipelines {
		return nil
	}
	throughput, _ := p.parts(policy.Own.(*Own))
	var others []string
	for _, other := range s.Policies() {
		same, recovery := p.parts(other.Own.(*Own))
		if *same == *throughput && recovery.Loss != pipeline.LossCovered.String() && recovery.Redundant == 0 {
			others = append(others, other.Name)
		}
	}
	if others == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s replicates computation, but has the same throughput as policies that do not "+
		"(%s): give it a throughput of its own", policy.Name, strings.Join(others, ", "))}
}

// warnLayouts warns of instances that no layout of the job has room for.
func (t *trained) warnLayouts(s model.Study, policy *model.Policy) []string {
	fleet := policy.Fleet
	if policy.Needs == policies.OneType {
		fleet -= min(s.OnDemand(), fleet-1) // on spot; those on demand take their place
	}
	if largest := t.MaxUseful(); largest < fleet {
		return []string{fmt.Sprintf("the largest layout of the throughput has %d instances, but the quotas allow %d: "+
			"the others never train", largest, fleet)}
	}
	pipelines, stages := t.Best(fleet)
	if training := pipelines * stages; training < fleet {
		return []string{fmt.Sprintf("the quotas allow %d instances, but at most %d of them train "+
			"(%d pipelines of %d stages): the others are spares", fleet, training, pipelines, stages)}
	}
	return nil
}

// warnRecovery warns of losses that cost nothing because nobody said what they cost, and of costs of another kind of
// recovery.
func (p *Pipelined) warnRecovery(policy *model.Policy) (warnings []string) {
	_, recovery := p.parts(policy.Own.(*Own))
	if recovery.Loss != "" && recovery.Loss != pipeline.LossRestarts.String() {
		return nil
	}
	if recovery.RestartS == nil {
		warnings = append(warnings, "recovery.restart_s is absent: a restart takes no time (restart_s: 0 confirms it)")
	}
	if recovery.Redundant > 0 {
		warnings = append(warnings, fmt.Sprintf("recovery.redundant is %v, but a loss restarts the job: "+
			"nothing is replicated, yet that share of the time is reported as redundant", recovery.Redundant))
	}
	if recovery.Slowdown > 0 {
		warnings = append(warnings, fmt.Sprintf("recovery.slowdown is %v and has no effect: a loss restarts the job, "+
			"no stage is covered", recovery.Slowdown))
	}
	return warnings
}
