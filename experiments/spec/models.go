package spec

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
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
	models := s.ofTypes(s.workers)
	kind, _ := s.Model.Kind.Chosen()
	switch {
	case kind != nil:
		models = s.kindModels
	case s.Model.Layout != nil:
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
	for i := range out {
		out[i] = JobModel{on, slices.Concat(warnings, s.warnNet(&s.Policies[i], onFirst))}
	}
	return out, nil
}

// ofTypes makes models for pools of what makes them for instance types, whatever the zones.
func (*Spec) ofTypes(of func() (func([]string) (sim.Model, error), []string, error)) func() (func([]sim.Pool) (sim.Model, error), []string, error) {
	return func() (func([]sim.Pool) (sim.Model, error), []string, error) {
		on, warnings, err := of()
		return func(pools []sim.Pool) (sim.Model, error) {
			types := make([]string, len(pools))
			for i := range pools {
				types[i] = pools[i].InstanceType
			}
			return on(types)
		}, warnings, err
	}
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
	names := append([]string{s.Model.Profile, s.Model.Coefficients}, s.Model.Speeds...)
	names = append(names, s.Model.Gang.TableFile())
	if _, job := s.Model.Kind.Chosen(); job != nil {
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

// workers makes the model of workers on parameter servers. The tables of the
// training mode are made once.
func (s *Spec) workers() (on func(types []string) (sim.Model, error), warnings []string, err error) {
	profile, coef, form, err := s.asp()
	if err == nil {
		profile, warnings, err = s.speeds(profile)
	}
	if err != nil {
		return nil, nil, err
	}
	base, err := ps.NewASP(profile, coef, form, profile.Types())
	if err != nil {
		return nil, nil, err
	}
	mode, err := s.newMode(base, len(profile))
	return func(types []string) (sim.Model, error) {
		base, err := ps.NewASP(profile, coef, form, types)
		if err != nil || mode == nil {
			return base, err
		}
		return mode.Over(base, len(types)), nil
	}, warnings, err
}

// asp reads the profile and the coefficients.
func (s *Spec) asp() (ps.Profile, ps.Coefficients, ps.Form, error) {
	m := &s.Model
	form := ps.FormArtifact
	var none ps.Coefficients
	if m.LossForm != "" {
		var err error
		if form, err = ps.ParseForm(m.LossForm); err != nil {
			return nil, none, form, err
		}
	}
	if m.Published != "" {
		p, c, err := ps.Published(m.Published)
		c.BeginLoss = stats.Or(m.BeginLoss, 0)
		return p, c, form, err
	}
	if m.Profile == "" {
		return nil, none, form, fmt.Errorf("expected published, or profile and coefficients, or data_parallel, or pipelined")
	}
	p, err := ps.OpenProfile(s.Path(m.Profile))
	if err != nil {
		return nil, none, form, err
	}
	c, err := ps.OpenCoefficients(s.Path(m.Coefficients))
	c.BeginLoss = stats.Or(m.BeginLoss, 0)
	return p, c, form, err
}

// speeds returns the profile with the speeds that the spec's model files
// predict, and why they may mislead.
func (s *Spec) speeds(profile ps.Profile) (ps.Profile, []string, error) {
	var types, warnings []string
	for _, p := range s.Market.Pools {
		types = append(types, p.Type)
	}
	for i, name := range s.Model.Speeds {
		m, err := calibrate.OpenModel(s.Path(name))
		var more []string
		if err == nil {
			profile, more, err = ps.PredictSpeeds(m, profile, types)
		}
		if err != nil {
			return nil, nil, s.ErrorAt(fmt.Sprintf("$.model.speeds[%d]", i), "%s: %v", name, err)
		}
		warnings = append(warnings, more...)
	}
	return profile, warnings, nil
}

// newMode returns the training mode over a model of n pools, nil without.
func (s *Spec) newMode(base sim.WorkerModel, pools int) (*ps.Synchronised, error) {
	if s.Model.Training == nil {
		return nil, nil
	}
	y, _, err := s.Model.Training.synchrony()
	if err != nil {
		return nil, err
	}
	return ps.NewSynchronised(base, pools, y)
}
