package spec

import (
	"fmt"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/sim"
)

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
		c.BeginLoss = valueOr(m.BeginLoss, 0)
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
	c.BeginLoss = valueOr(m.BeginLoss, 0)
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
