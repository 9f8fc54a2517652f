package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/parcae"
)

func (s *Spec) checkModel() error {
	if s.Model.Pipelined != nil {
		return s.checkPipelined()
	}
	if s.Model.DataParallel != nil {
		return s.checkDataParallel()
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

// checkTraining reports what is wrong with the spec's training.
func (s *Spec) checkTraining() error {
	if s.Model.Training == nil {
		return nil
	}
	_, field, err := s.Model.Training.synchrony()
	if err == nil {
		return nil
	}
	path := "$.model.training"
	if field != "" {
		path += "." + field
	}
	return s.ErrorAt(path, "%v", err)
}

// checkPipelined reports what is wrong with the model of the whole study; what
// policies have of their own is checked with them.
func (s *Spec) checkPipelined() error {
	m := s.Model.Pipelined
	if x := s.Model; x.Published != "" || x.Profile != "" || x.Coefficients != "" || x.LossForm != "" || x.Training != nil || len(x.Speeds) > 0 {
		return s.ErrorAt("$.model", "expected pipelined alone, or none of it")
	}
	if (m.Samples > 0) == (m.Steps > 0) || m.Samples < 0 || m.Steps < 0 || max(m.Samples, m.Steps) > 1e15 {
		return s.ErrorAt("$.model.pipelined", "samples %v, steps %v, expected one of them, more than 0 and at most 1e15", m.Samples, m.Steps)
	}
	if !s.oneType() {
		return s.ErrorAt("$.market.pools", "several instance types, expected one: a throughput is for one type")
	}
	if b := &s.Market.Billing; (b.SkipParameterServers || b.ParameterServerUSDPerH != nil) && !s.migrates() {
		return s.ErrorAt("$.market.billing", "the price of a parameter server is set, but no policy uses one (they need loss: migrated)")
	}
	if _, err := s.pipelined(&Policy{}); err != nil {
		return s.atPart("$.model.pipelined", "", err)
	}
	for i := range s.Policies {
		if err := s.checkPipelines(&s.Policies[i]); err != nil {
			return s.atPart(fmt.Sprintf("$.policies[%d]", i), "policy "+s.Policies[i].Name+": ", err)
		}
	}
	return nil
}

// migrates reports whether the job is migrated under a policy.
func (s *Spec) migrates() bool {
	own := func(p Policy) bool { return p.Recovery != nil && p.Recovery.Migration != nil }
	return s.Model.Pipelined.Recovery.Migration != nil || slices.ContainsFunc(s.Policies, own)
}

// checkPipelines reports what is wrong with the model under one policy.
func (s *Spec) checkPipelines(p *Policy) error {
	model, err := s.pipelined(p)
	if err != nil {
		return err
	}
	if needs := policyNeeds(p.Name); needs != policies.OneType && needs != policies.AnyModel && needs != pipelineNeeds[model.recovery.Loss] {
		return fmt.Errorf("it needs %v, but recovery.loss is %v", needs, model.recovery.Loss)
	}
	policy, err := p.New()
	if err != nil {
		return err
	}
	set := numbers(policy)
	fleet := s.fleetOf(policyNeeds(p.Name))
	most := fleet
	if n := int(set["instances"]); n > 0 {
		most = min(n, fleet)
	}
	if least := leastInstances(model); least > most {
		return fmt.Errorf("the smallest layout of the throughput has %d instances, but it may hold at most %d", least, most)
	}
	if parcae.PlansAhead(policy) && min(most, model.MostUseful()) > parcae.MostPlanned {
		return fmt.Errorf("it plans for at most %d instances, but may hold %d: set instances", parcae.MostPlanned, min(most, model.MostUseful()))
	}
	if _, given := p.Settings["interval_s"]; given && set["interval_s"] == 0 {
		return fmt.Errorf("interval_s is 0, expected more than 0 (leave it out for the rule's interval)")
	}
	if p.Name == "checkpoint" && set["interval_s"] == 0 && model.recovery.Save == 0 {
		return fmt.Errorf("the interval of the rule is 0 because a save takes no time: expected a save_s above 0, or interval_s")
	}
	return nil
}
