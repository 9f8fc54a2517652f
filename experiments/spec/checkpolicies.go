package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin/loader"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
)

func (s *Spec) checkPolicies() error {
	if len(s.Policies) == 0 { // a spec may be checked again
		s.all = true
		for _, info := range policies.List() {
			if s.takesByItself(&info) {
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
	policy, err := p.New()
	if err != nil {
		return err
	}
	if policies.NeedsOnDemand(policy) && s.onDemand() == 0 {
		return fmt.Errorf("policy %s %s", p.Name, s.Workload().lacksOnDemand())
	}
	if needs := policyNeeds(p.base()); !s.fits(needs) {
		return s.Workload().refuse(p, needs)
	}
	if err := s.pursued(p.base()); err != nil {
		return err
	}
	if _, oracle := policy.(policies.RunOracle); oracle {
		if path, why := s.unbounded(); why != "" {
			return fmt.Errorf("policy %s looks for a schedule near the bound; %s: %s",
				p.Name, strings.TrimPrefix(path, "$."), why)
		}
	}
	chosen, _ := s.kind()
	for _, kind := range model.Kinds() {
		if given := p.Own.Given(kind); given != nil && kind != chosen {
			return fmt.Errorf("policy %s has %s, but the model is not %s",
				p.Name, strings.Join(given, " and "), kind.Name)
		}
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
		kind := s.Objectives[i].Kind()
		if !kind.PursuedBy(&info) {
			can := strings.Join(objective.Pursued(&info), ", ")
			return fmt.Errorf("policy %s plans by a deadline and cannot pursue the objective %s (%s); it can: %s",
				name, s.Objectives[i].Name, kind.Name, can)
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
	added := 0
	for _, name := range names {
		if s.comes(name) {
			added++
			continue
		}
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
	if chosen == nil && added == 0 {
		return fmt.Errorf("expected at least one policy")
	}
	s.Policies, s.all = chosen, false
	return nil
}

// comes reports whether a name is that of a policy of the user's own that is still to be added (AddPlugin).
func (s *Spec) comes(name string) bool {
	return !slices.ContainsFunc(s.Policies, func(p Policy) bool { return p.Name == name }) &&
		slices.ContainsFunc(s.reading.Plugins, func(g *loader.Plugin) bool { return g.Name == name })
}

// survives reports whether a policy is made for what a loss does to the spec's
// job, and can hold its smallest layout. What cannot be read is reported later.
func (s *Spec) survives(needs policies.Needs) bool {
	_, job := s.kind()
	perPolicy, is := job.(model.PerPolicy)
	return !is || perPolicy.Suits(study{s}, needs, s.fleetOf(needs))
}

// HasPlugins reports whether a policy is a command.
func (s *Spec) HasPlugins() bool {
	return slices.ContainsFunc(s.Policies, func(p Policy) bool { return p.plugin() != nil })
}

// Commands returns the names of the policies that run commands which are not allowed yet.
func (s *Spec) Commands() (names []string) {
	for i := range s.Policies {
		if s.Policies[i].Command != nil && !s.Policies[i].allowed {
			names = append(names, s.Policies[i].Name)
		}
	}
	return names
}

// AllowCommands lets the spec's policies run their commands, which are programs of
// whoever wrote the spec.
func (s *Spec) AllowCommands() {
	for i := range s.Policies {
		s.Policies[i].allowed = true
	}
}

// AddPlugin adds a policy of a user's own, whose command may run; its files are relative to
// the plug-in's folder.
func (s *Spec) AddPlugin(g *loader.Plugin) error {
	p := Policy{Name: g.Name, Settings: g.Settings, Command: g.Command, dir: g.Dir, allowed: true, given: g,
		WatchPrices: g.Watches, AnswerS: g.Patience.Seconds()}
	if slices.ContainsFunc(s.Policies, func(has Policy) bool { return has.Name == p.Name }) {
		return fmt.Errorf("the spec has a policy %q already", p.Name)
	}
	if err := s.checkPolicy(&p); err != nil {
		return err
	}
	s.Policies = append(s.Policies, p)
	return nil
}

// Boundable reports why package bound has no bound for the spec's runs, nil if it may
// have one: where the trace does not say what can be held, or first hours are free.
func (s *Spec) Boundable() error {
	path, why := s.Workload().rulesOutBound()
	if why == "" {
		return nil
	}
	return s.ErrorAt(path, "%s", why)
}

// LawKnown reports why the spec does not state the law of its market, or why a bound of the expected cost under that
// law is not known: an error with the path of the key; nil if it does.
func (s *Spec) LawKnown() error {
	if path, why := s.Workload().rulesOutForesight(); why != "" {
		return s.ErrorAt(path, "%s", why)
	}
	if s.Market.Synthetic == nil {
		return s.ErrorAt("$.market", "recorded, or fixed: the law of what comes next is not known, expected synthetic")
	}
	for i := range s.Objectives {
		if s.Objectives[i].Kind().ByWork {
			return s.ErrorAt(fmt.Sprintf("$.objectives[%d]", i),
				"most work for a budget: the bound without foresight is for deadlines")
		}
	}
	for i := range s.Market.Pools {
		if a := s.ReplayOf(&s.Market.Pools[i]).adapter(); a != replay.CountCap && a != replay.BinaryAll {
			return s.ErrorAt(fmt.Sprintf("$.market.pools[%d]", i),
				"the adapter %s: the law of its capacity is not known, expected %s or %s",
				a, replay.CountCap, replay.BinaryAll)
		}
	}
	return nil
}

// unbounded returns the place that rules a bound out, and why.
func (s *Spec) unbounded() (path, why string) {
	if s.Market.Billing.FreeFirstHour {
		return "$.market.billing.free_first_hour", "true: what is held has no least cost"
	}
	if len(s.Market.Commitments) > 0 {
		return "$.market.commitments", "they are paid whether used or not: what is held has no least cost"
	}
	kind, job := s.kind()
	if kind != nil && kind.NoBound != "" {
		return kind.Path(), kind.NoBound
	}
	if unbounded, is := job.(model.Unbounded); is {
		if key, why := unbounded.NoBound(); why != "" {
			return kind.Path() + "." + key, why
		}
	}
	for i := range s.Objectives {
		if kind := s.Objectives[i].Kind(); kind.NoBound != "" {
			return fmt.Sprintf("$.objectives[%d].%s", i, kind.Name), kind.NoBound
		}
	}
	for i := range s.Market.Pools {
		switch a := s.ReplayOf(&s.Market.Pools[i]).adapter(); a {
		case replay.LaunchOnly, replay.LifetimeResample:
			why := fmt.Sprintf("the adapter %s: instances may outlive the capacity in the trace", a)
			return fmt.Sprintf("$.market.pools[%d]", i), why
		}
	}
	return "", ""
}

func policyNeeds(name string) policies.Needs {
	if info, err := policies.Named(name); err == nil {
		return info.Needs
	}
	return policies.OneType
}

// takesByItself reports whether a policy is one of those of a spec that names none: it needs nothing that the spec does
// not have, and not the future.
func (s *Spec) takesByItself(info *policies.Info) bool {
	if info.Tool || sim.TraitsOf(info.Defaults()).KnowsFuture {
		return false
	}
	if s.onDemand() == 0 && policies.NeedsOnDemand(info.Defaults()) {
		return false
	}
	return s.fits(info.Needs) && s.survives(info.Needs) && s.pursued(info.Name) == nil
}

// fits reports whether policies with these needs can run what the spec has for them.
func (s *Spec) fits(needs policies.Needs) bool { return s.Workload().serves(needs) }

// modelFits reports whether the model of one job is of a kind that is needed.
func (s *Spec) modelFits(needs policies.Needs) bool {
	kind, _ := s.kind()
	if kind.NoTraining {
		return slices.Contains(kind.Serves, needs)
	}
	switch needs {
	case policies.OneType:
		return s.oneType()
	case policies.AnyModel:
		return true
	case policies.MixedPools:
		return s.onDemand() > 0
	}
	return slices.Contains(kind.Serves, needs)
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
