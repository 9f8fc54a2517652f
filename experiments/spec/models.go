package spec

import (
	"slices"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/sim"
)

// JobModel makes the model of the job under one policy.
type JobModel struct {
	On       func(pools []sim.Pool) (sim.Model, error)  // for these pools, in their order
	OnSeed   func([]sim.Pool, int64) (sim.Model, error) // for the runs of a seed; nil: they all have that of On
	Warnings []string                                   // why its numbers may mislead

	PerPolicy bool // it is another one under each policy
}

// Models opens what the model refers to and returns one for each policy.
func (s *Spec) Models() ([]JobModel, error) { return s.Workload().models() }

// modelsOfJob is Models of a job for each objective.
func (s *Spec) modelsOfJob() ([]JobModel, error) {
	_, job := s.kind()
	if perPolicy, is := job.(model.PerPolicy); is {
		return s.modelsPerPolicy(perPolicy)
	}
	return s.modelsUnderAll()
}

// modelsPerPolicy returns the models of a job that is another one under each policy.
func (s *Spec) modelsPerPolicy(job model.PerPolicy) ([]JobModel, error) {
	out := make([]JobModel, len(s.Policies))
	for i, policy := range (study{s}).Policies() {
		opened, err := job.OpenFor(study{s}, policy)
		if err != nil {
			return nil, s.atPolicy(i, err)
		}
		first, err := s.firstModel(opened)
		if err != nil {
			return nil, err
		}
		out[i] = JobModel{
			On:        opened.On,
			OnSeed:    opened.OnSeed,
			Warnings:  slices.Concat(opened.Warnings, s.warnNet(&s.Policies[i], first)),
			PerPolicy: true,
		}
	}
	return out, nil
}

// modelsUnderAll returns the same models for each policy.
func (s *Spec) modelsUnderAll() ([]JobModel, error) {
	opened, err := s.open()
	if err != nil {
		return nil, err
	}
	first, err := s.firstModel(opened)
	if err != nil {
		return nil, err
	}
	warnings := opened.Warnings
	if opened.SlowWarnings != nil {
		warnings = append(warnings, opened.SlowWarnings()...)
	}
	out := make([]JobModel, len(s.Policies))
	for i := range out {
		own := s.warnNet(&s.Policies[i], first)
		out[i] = JobModel{On: opened.On, OnSeed: opened.OnSeed, Warnings: slices.Concat(warnings, own)}
	}
	return out, nil
}

// firstModel returns the model for the first pool.
func (s *Spec) firstModel(opened *model.Opened) (sim.Model, error) {
	pool := &s.Market.Pools[0]
	first := sim.Pool{InstanceType: pool.Type, Cloud: pool.Cloud, Region: pool.Region, Zone: pool.Zone}
	made, err := opened.On([]sim.Pool{first})
	if err != nil {
		return nil, err
	}
	return made, s.checkPlannable(made)
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
	names := s.Model.Gang.TableFiles()
	if _, job := s.kind(); job != nil {
		if reader, is := job.(model.Reader); is {
			names = append(names, reader.Files(study{s})...)
		}
	}
	kind, _ := s.kind()
	for i := range s.Policies {
		p := &s.Policies[i]
		if reader, is := p.Own.Of(kind).(model.Reader); is {
			names = append(names, reader.Files(study{s})...)
		}
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
