package spec

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/parcae"
)

// modelKind is a kind of models that is not registered.
type modelKind struct {
	is    bool
	name  string // in errors
	check func() error
}

func (s *Spec) modelKinds() []modelKind {
	m := &s.Model
	return []modelKind{
		{m.Pipelined != nil, "pipelined", s.checkPipelined},
		{m.Layout != nil, "of layouts", s.checkLayout},
	}
}

func (s *Spec) checkModel() error {
	if kind, _ := s.kind(); kind != nil {
		return s.checkKind()
	}
	for _, k := range s.modelKinds() {
		if k.is {
			return k.check()
		}
	}
	return nil
}

// checkPipelined reports what is wrong with the model of the whole study; what
// policies have of their own is checked with them.
func (s *Spec) checkPipelined() error {
	if !s.oneType() {
		return s.ErrorAt("$.market.pools", "several instance types, expected one: a throughput is for one type")
	}
	if b := &s.Market.Billing; (b.SkipParameterServers || b.ParameterServerUSDPerH != nil) && !s.migrates() {
		return s.ErrorAt("$.market.billing", "the price of a parameter server is set, but no policy uses one "+
			"(they need loss: migrated)")
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
	if needs := policyNeeds(p.base()); needs != policies.OneType && needs != policies.AnyModel && needs != policies.MixedPools &&
		needs != pipelineNeeds[model.recovery.Loss] {
		return fmt.Errorf("it needs %v, but recovery.loss is %v", needs, model.recovery.Loss)
	}
	policy, err := p.New()
	if err != nil {
		return err
	}
	set := numbers(policy)
	fleet := s.fleetOf(policyNeeds(p.base()))
	largest := fleet
	if n := int(set["instances"]); n > 0 {
		largest = min(n, fleet)
	}
	if smallest := minInstances(model); smallest > largest {
		return fmt.Errorf("the smallest layout of the throughput has %d instances, but it may hold at most %d", smallest, largest)
	}
	if parcae.PlansAhead(policy) && min(largest, model.MaxUseful()) > parcae.MaxPlanned {
		return fmt.Errorf("it plans for at most %d instances, but may hold %d: set instances", parcae.MaxPlanned,
			min(largest, model.MaxUseful()))
	}
	if _, given := p.Settings["interval_s"]; given && set["interval_s"] == 0 {
		return fmt.Errorf("interval_s is 0, expected more than 0 (leave it out for the rule's interval)")
	}
	if p.Name == "checkpoint" && set["interval_s"] == 0 && model.recovery.Save == 0 {
		return fmt.Errorf("the interval of the rule is 0 because a save takes no time: expected a save_s above 0, " +
			"or interval_s")
	}
	return nil
}

// checkFleets refuses policies that may hold fewer instances than the job needs to train, and leaves them out where all
// are compared.
func (s *Spec) checkFleets(smallest int) error {
	var fitting []Policy
	for i, p := range s.Policies {
		needs := policyNeeds(p.base())
		fleet := s.fleetOf(needs)
		switch {
		case needs.Workers() || smallest <= fleet:
			fitting = append(fitting, p)
		case s.all:
			s.doc.Warn(fmt.Sprintf("policy %s is left out: the job trains on %d workers at least, and it may hold %d", p.Name, smallest, fleet))
		default:
			return s.ErrorAt(fmt.Sprintf("$.policies[%d]", i), "policy %s: the job trains on %d workers at least, and it may hold %d", p.Name, smallest, fleet)
		}
	}
	s.Policies = fitting
	return nil
}
