package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func (s *Spec) checkPolicies() error {
	if len(s.Policies) == 0 { // a spec may be checked again
		s.all = true
		for _, info := range policies.List() {
			if !sim.TraitsOf(info.Defaults()).KnowsFuture && !info.Slow && s.fits(info.Needs) && s.survives(info.Needs) &&
				(s.onDemand() > 0 || !policies.NeedsOnDemand(info.Defaults())) && s.pursued(info.Name) == nil {
				s.Policies = append(s.Policies, Policy{Name: info.Name})
			}
		}
	}
	seen := map[string]bool{}
	for i := range s.Policies {
		p, at := &s.Policies[i], fmt.Sprintf("$.policies[%d]", i)
		if seen[p.Name] {
			return s.ErrorAt(at+".name", "%q is given twice", p.Name)
		}
		seen[p.Name] = true
		if err := s.checkPolicy(p); err != nil {
			return s.ErrorAt(at, "%v", err)
		}
	}
	return nil
}

// AllPolicies reports whether the spec names no policies, so that it has all that fit.
func (s *Spec) AllPolicies() bool { return s.all }

// checkPolicy reports what is wrong with a policy's settings, and whether the
// model is one for it.
func (s *Spec) checkPolicy(p *Policy) error {
	if p.plugin() != nil {
		if p.dir == "" {
			p.dir = filepath.Dir(s.doc.File)
		}
		p.allowed = p.allowed || s.reading.Commands
		return p.checkPlugin()
	}
	policy, warnings, err := p.configured()
	if err != nil {
		return err
	}
	if policies.NeedsOnDemand(policy) && s.onDemand() == 0 {
		if s.Jobs != nil {
			return fmt.Errorf("policy %s needs GPUs on demand, but the market has none: expected an entry of servers with on_demand: true", p.Name)
		}
		return fmt.Errorf("policy %s needs on-demand instances, but on_demand_quota is 0 in all pools", p.Name)
	}
	s.doc.Warn(warnings...)
	switch needs := policyNeeds(p.base()); {
	case s.fits(needs):
	case s.Jobs != nil && needs == policies.SharedInstances:
		return fmt.Errorf("policy %s rents instances that several jobs share, but the market has none: expected market.instances", p.Name)
	case s.Jobs != nil && needs == policies.SharedGPUs && s.Market.Instances == nil:
		return fmt.Errorf("policy %s puts two jobs on the same GPUs, but it is not said how fast they are then: expected model.gang.pairs (gavel, "+
			"or a CSV file)", p.Name)
	case s.Jobs != nil && needs == policies.SharedGPUs:
		return fmt.Errorf("policy %s gives out GPUs, each to one job or to two, but market.instances are rented whole; schedulers for them are %s",
			p.Name, strings.Join(s.fitting(), ", "))
	case s.Jobs != nil && needs == policies.Gangs:
		return fmt.Errorf("policy %s gives out GPUs one by one, but market.instances are rented whole; schedulers for them are %s", p.Name,
			strings.Join(s.fitting(), ", "))
	case s.Jobs != nil:
		return fmt.Errorf("policy %s is for one job, but the spec has many (jobs); schedulers are %s", p.Name, strings.Join(s.fitting(), ", "))
	case needs == policies.Gangs, needs == policies.SharedInstances, needs == policies.SharedGPUs:
		return fmt.Errorf("policy %s is a scheduler of many jobs, but the spec has one: expected jobs instead of objectives, or another policy "+
			"(marigram policies lists them)", p.Name)
	case s.Model.Notebooks != nil:
		return fmt.Errorf("policy %s needs %v, but the model is of sessions of notebooks: %s", p.Name, needs,
			"notebook-pool, notebook-ondemand, notebook-batch and notebook-reserved are for it")
	case needs == policies.OneType:
		return fmt.Errorf("policy %s needs %v, but the pools have several", p.Name, needs)
	case needs == policies.AnyModel, needs == policies.MixedPools:
		return fmt.Errorf("policy %s needs on-demand instances, but on_demand_quota is 0 in all pools", p.Name)
	default:
		kind := "asynchronous, with workers"
		if s.Model.Pipelined != nil {
			kind = "pipelined"
		} else if s.Model.DataParallel != nil {
			kind = "data-parallel"
		} else if s.Model.Replicas != nil {
			kind = "of replica groups"
		} else if s.Model.Observed != nil {
			kind = "of past runs"
		}
		return fmt.Errorf("policy %s needs %v, but the model is %s", p.Name, needs, kind)
	}
	if err := s.pursued(p.base()); err != nil {
		return err
	}
	if _, oracle := policy.(policies.RunOracle); oracle {
		if path, why := s.unbounded(); why != "" {
			return fmt.Errorf("policy %s looks for a schedule near the bound; %s: %s", p.Name, strings.TrimPrefix(path, "$."), why)
		}
	}
	if s.Model.Pipelined == nil && (p.Throughput != nil || p.Recovery != nil) {
		return fmt.Errorf("policy %s has throughput or recovery, but the model is not pipelined", p.Name)
	}
	return nil
}

// pursued is an error where a policy cannot pursue an objective.
func (s *Spec) pursued(name string) error {
	info, err := policies.Named(name)
	if err != nil {
		return err
	}
	for i := range s.Objectives {
		if g := s.Objectives[i].Goal(); !info.Pursues(g) {
			return fmt.Errorf("policy %s plans by a deadline and cannot pursue the objective %s (%v); it can: %s", name, s.Objectives[i].Name, g,
				strings.Join(info.Goals(), ", "))
		}
	}
	return nil
}

// fitting returns the names of the policies that the spec can have.
func (s *Spec) fitting() (names []string) {
	for _, info := range policies.List() {
		if s.fits(info.Needs) {
			names = append(names, info.Name)
		}
	}
	return names
}

// Choose keeps the named policies of the spec, in the order of the names; one
// that the spec does not have gets its default settings.
func (s *Spec) Choose(names []string) error {
	var chosen []Policy
	for _, name := range names {
		p := Policy{Name: name}
		for _, has := range s.Policies {
			if has.Name == name {
				p = has
			}
		}
		if err := s.checkPolicy(&p); err != nil {
			return err
		}
		if slices.ContainsFunc(chosen, func(c Policy) bool { return c.Name == name }) {
			return fmt.Errorf("%q is given twice", name)
		}
		chosen = append(chosen, p)
	}
	if chosen == nil {
		return fmt.Errorf("expected at least one policy")
	}
	s.Policies, s.all = chosen, false
	return nil
}

// survives reports whether a policy is made for what a loss does to the spec's
// job, and can hold its smallest layout. What cannot be read is reported later.
func (s *Spec) survives(needs policies.Needs) bool {
	if s.Model.Pipelined == nil || needs == policies.OneType {
		return true
	}
	model, err := s.pipelined(&Policy{})
	if err != nil {
		return needs == policies.AnyModel || needs == policies.MixedPools
	}
	return (needs == policies.AnyModel || needs == policies.MixedPools || needs == pipelineNeeds[model.recovery.Loss]) &&
		minInstances(model) <= s.fleetOf(needs)
}
