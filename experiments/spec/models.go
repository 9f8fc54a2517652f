package spec

import (
	"slices"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/sim"
)

// JobModel makes the model of the job under one policy.
type JobModel struct {
	On       func(pools []sim.Pool) (sim.Model, error) // for these pools, in their order
	Warnings []string                                  // why its numbers may mislead
}

// Models opens what the model refers to and returns one for each policy.
func (s *Spec) Models() ([]JobModel, error) { return s.Workload().models() }

// modelsOfJob is Models of a job for each objective.
func (s *Spec) modelsOfJob() ([]JobModel, error) {
	out := make([]JobModel, len(s.Policies))
	if s.Model.Pipelined != nil {
		for i := range out {
			model, err := s.pipelined(&s.Policies[i])
			if err != nil {
				return nil, err
			}
			warnings := slices.Concat(model.warnings, s.warnNet(&s.Policies[i], model.PipelineModel),
				s.warnReplicating(&s.Policies[i]), s.warnLayouts(&s.Policies[i], model), s.warnRecovery(&s.Policies[i]))
			out[i] = JobModel{func([]sim.Pool) (sim.Model, error) { return model.PipelineModel, nil }, warnings}
		}
		return out, nil
	}
	models := s.kindModels
	if s.Model.Layout != nil {
		models = s.layoutModels
	}
	on, warnings, err := models()
	if err != nil {
		return nil, err
	}
	first := &s.Market.Pools[0]
	onFirst, err := on([]sim.Pool{{InstanceType: first.Type, Cloud: first.Cloud, Region: first.Region, Zone: first.Zone}})
	if err != nil {
		return nil, err
	}
	if err := s.checkPlannable(onFirst); err != nil {
		return nil, err
	}
	for i := range out {
		out[i] = JobModel{on, slices.Concat(warnings, s.warnNet(&s.Policies[i], onFirst))}
	}
	return out, nil
}

// PoolsOf returns the pools of a market, for JobModel.On.
func PoolsOf(m *sim.Market) []sim.Pool {
	pools := make([]sim.Pool, m.Pools())
	for p := range pools {
		pools[p] = *m.Pool(p)
	}
	return pools
}

// Files returns the paths of what the spec is read from: its own, and those of its
// traces, its model and its tariff of moves.
func (s *Spec) Files() []string {
	paths := []string{s.doc.File}
	for _, h := range s.Market.Traces {
		paths = append(paths, s.Path(h.Path))
	}
	paths = append(paths, s.Workload().files()...)
	for _, name := range s.OtherFiles() {
		paths = append(paths, s.Path(name))
	}
	return paths
}

// OtherFiles returns the names of the files that the spec is read from beside traces:
// of the model and of the tariff of moves.
func (s *Spec) OtherFiles() []string {
	names := []string{s.Model.Gang.TableFile()}
	if _, job := s.kind(); job != nil {
		if reader, is := job.(model.Reader); is {
			names = append(names, reader.Files()...)
		}
	}
	if l := s.Model.Layout; l != nil {
		names = append(names, s.layoutFiles()...)
	}
	of := func(t *Throughput, r *Recovery) {
		if t != nil {
			names = append(names, t.Table, t.Layers)
		}
		if r != nil && r.Migration != nil {
			names = append(names, r.Migration.Layers)
		}
	}
	if m := s.Model.Pipelined; m != nil {
		of(&m.Throughput, &m.Recovery)
	}
	for _, p := range s.Policies {
		of(p.Throughput, p.Recovery)
		if g := p.plugin(); g != nil {
			names = append(names, g.Files()...)
		}
	}
	if m := s.Market.Moves; m != nil && !slices.Contains(charges.TariffNames(), m.Tariff) {
		names = append(names, m.Tariff)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}
