package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/sim"
)

// Model says how the job trains: with parameter servers, after spotDNN, or in
// pipelines.
type Model struct {
	Published    string     `json:"published,omitempty" jsonschema:"name of a profile that comes with marigram, for instance spotdnn-resnet110"`
	Profile      string     `json:"profile,omitempty" jsonschema:"CSV file with a profile, relative to this file"`
	Coefficients string     `json:"coefficients,omitempty" jsonschema:"CSV file with the coefficients, relative to this file"`
	Speeds       []string   `json:"speeds,omitempty" jsonschema:"model files of marigram calibrate fit, relative to this file: instance types with their GPU train at the speed that they predict, not at the measured one"`
	LossForm     string     `json:"loss_form,omitempty" jsonschema:"one of spotDNN's published forms: artifact, paper or figures; artifact if absent"`
	Training     *Training  `json:"training,omitempty" jsonschema:"how workers synchronise, and what the loss of the chief does; asynchronous, and the chief is replaced, if absent"`
	Pipelined    *Pipelined `json:"pipelined,omitempty" jsonschema:"synchronous training, data-parallel or in pipelines; excludes the other keys"`
}

// JobModel makes the model of the job under one policy.
type JobModel struct {
	On       func(types []string) (sim.Model, error) // for pools of these instance types
	Warnings []string                                // why its numbers may mislead
}

// Models opens what the model refers to and returns one for each policy.
func (s *Spec) Models() ([]JobModel, error) {
	out := make([]JobModel, len(s.Policies))
	if s.Model.Pipelined != nil {
		for i := range out {
			model, err := s.pipelined(&s.Policies[i])
			if err != nil {
				return nil, err
			}
			warnings := slices.Concat(model.warnings, s.warnNet(&s.Policies[i], model.PipelineModel), s.warnReplicating(&s.Policies[i]))
			out[i] = JobModel{func([]string) (sim.Model, error) { return model.PipelineModel, nil }, warnings}
		}
		return out, nil
	}
	on, warnings, err := s.workers()
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

func (s *Spec) checkModel() error {
	if s.Model.Pipelined != nil {
		return s.checkPipelined()
	}
	profile, coef, form, err := s.asp()
	if err != nil {
		return s.ErrorAt("$.model", "%v", err)
	}
	if profile, _, err = s.speeds(profile); err != nil {
		return err
	}
	if err := s.checkTraining(); err != nil {
		return err
	}
	if _, err := ps.NewASP(profile, coef, form, profile.Types()); err != nil {
		return s.ErrorAt("$.model", "%v", err)
	}
	for i, p := range s.Market.Pools {
		if !slices.Contains(profile.Types(), p.Type) {
			return s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i), "no profile of instance type %q; the profile has %s", p.Type, strings.Join(profile.Types(), ", "))
		}
	}
	for i, o := range s.Objectives {
		if o.Loss <= coef.Gamma5 {
			return s.ErrorAt(fmt.Sprintf("$.objectives[%d].loss", i), "%v, expected more than %v, the floor that the model's loss approaches", o.Loss, coef.Gamma5)
		}
	}
	return nil
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
		if m.Profile != "" || m.Coefficients != "" {
			return nil, none, form, fmt.Errorf("expected published, or profile and coefficients, not both")
		}
		p, c, err := ps.Published(m.Published)
		return p, c, form, err
	}
	if m.Profile == "" || m.Coefficients == "" {
		return nil, none, form, fmt.Errorf("expected published, or profile and coefficients, or pipelined")
	}
	p, err := ps.OpenProfile(s.Path(m.Profile))
	if err != nil {
		return nil, none, form, err
	}
	c, err := ps.OpenCoefficients(s.Path(m.Coefficients))
	return p, c, form, err
}

// ModelFiles returns the names of the files that describe the model.
func (s *Spec) ModelFiles() []string {
	names := append([]string{s.Model.Profile, s.Model.Coefficients}, s.Model.Speeds...)
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
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// fleet returns the most instances that a run can hold, on spot and on demand.
func (s *Spec) fleet() int {
	places := 1
	if x := s.Market.Synthetic; x != nil {
		regions, zones := x.Size()
		places = regions * zones
	}
	n := 0
	for _, p := range s.Market.Pools {
		n += *p.Quota*places + p.OnDemandQuota
	}
	return min(n, math.MaxInt32)
}
