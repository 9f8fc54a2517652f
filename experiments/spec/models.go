package spec

import (
	"slices"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/sim"
)

// JobModel makes the model of the job under one policy.
type JobModel struct {
	On       func(types []string) (sim.Model, error) // for pools of these instance types
	Warnings []string                                // why its numbers may mislead
}

// Models opens what the model refers to and returns one for each policy.
func (s *Spec) Models() ([]JobModel, error) {
	out := make([]JobModel, len(s.Policies))
	if s.Jobs != nil {
		return out, nil // its jobs have models of their own
	}
	if s.Model.Pipelined != nil {
		for i := range out {
			model, err := s.pipelined(&s.Policies[i])
			if err != nil {
				return nil, err
			}
			warnings := slices.Concat(model.warnings, s.warnNet(&s.Policies[i], model.PipelineModel),
				s.warnReplicating(&s.Policies[i]), s.warnLayouts(&s.Policies[i], model), s.warnRecovery(&s.Policies[i]))
			out[i] = JobModel{func([]string) (sim.Model, error) { return model.PipelineModel, nil }, warnings}
		}
		return out, nil
	}
	if s.Model.Notebooks != nil {
		platform, err := s.Model.Notebooks.Platform(s.Path)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] = JobModel{On: func([]string) (sim.Model, error) { return platform, nil }}
		}
		return out, nil
	}
	models := s.workers
	switch {
	case s.Model.DataParallel != nil:
		models = s.parallelModels
	case s.Model.Replicas != nil:
		models = s.replicaModels
	case s.Model.Observed != nil:
		models = s.observed
	}
	on, warnings, err := models()
	if err != nil {
		return nil, err
	}
	model, err := on([]string{s.Market.Pools[0].Type})
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i] = JobModel{on, slices.Concat(warnings, s.warnNet(&s.Policies[i], model))}
	}
	return out, nil
}

// observed returns the models of past runs, and what of them is a default.
func (s *Spec) observed() (on func(types []string) (sim.Model, error), warnings []string, err error) {
	o := s.Model.Observed
	f := s.past
	if f == nil {
		if f, err = fromruns.ReadFile(s.Path(o.File)); err != nil {
			return nil, nil, err
		}
	}
	s.past = f
	for _, note := range f.Notes {
		warnings = append(warnings, o.File+": "+note)
	}
	return o.Models(f, s.fleet()), warnings, nil
}

// Boot returns the boot time of instances: that of market.boot, else that of past runs (model.observed), else the default; of replica
// groups until they train.
func (s *Spec) Boot() sim.Boot {
	if s.past != nil && s.Market.Boot == (Boot{}) {
		if boot, observed := s.past.BootTime(); observed {
			return boot
		}
	}
	return after(s.Market.Boot.Distribution(), s.rejoinTime())
}

// Files returns the paths of what the spec is read from: its own, and those of its
// traces, its model and its tariff of moves.
func (s *Spec) Files() []string {
	paths := []string{s.doc.File}
	for _, h := range s.Market.Traces {
		paths = append(paths, s.Path(h.Path))
	}
	if s.Jobs != nil && s.Jobs.Trace != "" {
		paths = append(paths, s.Path(s.Jobs.Trace))
	}
	for _, name := range s.OtherFiles() {
		paths = append(paths, s.Path(name))
	}
	return paths
}

// OtherFiles returns the names of the files that the spec is read from beside traces:
// of the model and of the tariff of moves.
func (s *Spec) OtherFiles() []string {
	names := append([]string{s.Model.Profile, s.Model.Coefficients}, s.Model.Speeds...)
	names = append(names, s.Model.Gang.TableFile(), s.Model.Gang.PairsFile(), s.Market.Instances.File())
	if s.Model.Gang != nil {
		names = append(names, s.Model.Gang.Tasks.Files()...)
	}
	if d := s.Model.DataParallel; d != nil {
		names = append(names, d.Table)
	}
	if o := s.Model.Observed; o != nil {
		names = append(names, o.File)
	}
	if n := s.Model.Notebooks; n != nil {
		names = append(names, n.Files()...)
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
	if s.Jobs != nil && s.Jobs.Synthetic != nil {
		names = append(names, s.Jobs.Synthetic.File)
	}
	if m := s.Market.Moves; m != nil && !slices.Contains(charges.TariffNames(), m.Tariff) {
		names = append(names, m.Tariff)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}
