package spec

import (
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies"
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

// fits reports whether the spec's model is of a kind that is needed.
func (s *Spec) fits(needs policies.Needs) bool {
	if s.Jobs != nil {
		return s.schedules(needs)
	}
	if (s.Model.Notebooks != nil) != (needs == policies.Sessions) {
		return false
	}
	switch needs {
	case policies.Gangs, policies.SharedInstances, policies.SharedGPUs:
		return false
	case policies.Sessions:
		return true
	case policies.OneType:
		return s.oneType()
	case policies.WorkerModels:
		return s.Model.Pipelined == nil
	case policies.AnyModel:
		return s.Model.Pipelined == nil || s.onDemand() > 0
	case policies.MixedPools:
		return s.onDemand() > 0
	case policies.ServerModels:
		return !s.WholeJob()
	case policies.RestartingPipelines:
		return s.WholeJob()
	}
	return s.Model.Pipelined != nil
}

// schedules reports whether the spec's many jobs are such as are needed.
func (s *Spec) schedules(needs policies.Needs) bool {
	switch needs {
	case policies.Gangs:
		return s.Market.Instances == nil
	case policies.SharedInstances:
		return s.Market.Instances != nil
	case policies.SharedGPUs:
		return s.Market.Instances == nil && s.Model.Gang.SharesGPUs()
	}
	return false
}

// fleetOf returns the most instances that a policy for pipelines can hold at once:
// on demand those that nobody interrupts, on spot those that losses are for.
func (s *Spec) fleetOf(needs policies.Needs) int {
	onDemand := 0
	for i := range s.Market.Pools {
		onDemand += s.Market.Pools[i].OnDemandQuota * s.OnDemandPlaces()
	}
	switch needs {
	case policies.OneType, policies.MixedPools:
		return s.fleet()
	case policies.AnyModel:
		return onDemand
	}
	return s.fleet() - onDemand
}
