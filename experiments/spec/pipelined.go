package spec

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/sim"
)

// Pipelined is synchronous training on pipelines of stages, until so many
// samples are trained.
type Pipelined struct {
	Samples    float64    `json:"samples,omitempty" jsonschema:"size of the job in samples"`
	Steps      float64    `json:"steps,omitempty" jsonschema:"size of the job in steps, instead"`
	Throughput Throughput `json:"throughput" jsonschema:"how fast it trains, by layout; a policy may have its own"`
	Recovery   Recovery   `json:"recovery,omitzero" jsonschema:"what losses and saves cost; a policy may have its own"`
}

// Recovery says what losses and saves cost (pipeline.Recovery).
type Recovery struct {
	Loss         string  `json:"loss,omitempty" jsonschema:"what a loss of instances does: restarts (from the last save), covered (neighbours do the work), reinstantiated (from replicas) or migrated (the remaining instances continue in another layout); restarts if absent"`
	RestartS     float64 `json:"restart_s,omitempty" jsonschema:"time from a loss until training continues from the last save"`
	ReconfigureS float64 `json:"reconfigure_s,omitempty" was:"relay_s" jsonschema:"time to change the layout of pipelines without going back to a save"`
	SaveS        float64 `json:"save_s,omitempty" jsonschema:"time that training stops for a save"`
	PersistS     float64 `json:"persist_s,omitempty" jsonschema:"then the time until the save is complete, while training continues"`
	Slowdown     float64 `json:"slowdown,omitempty" jsonschema:"divides the speed while stages are covered; 1 if absent"`
	Redundant    float64 `json:"redundant,omitempty" jsonschema:"share of the time that is replicated computation: reported as redundant, without slowing training down, because the throughput was measured with it"`

	Migration *Migration `json:"migration,omitempty" jsonschema:"what migrations cost (loss: migrated)"`
}

// parts returns what makes a policy's job: its own, or else the model's.
func (s *Spec) parts(p *Policy) (*Throughput, *Recovery) {
	t, r := p.Throughput, p.Recovery
	if t == nil {
		t = &s.Model.Pipelined.Throughput
	}
	if r == nil {
		r = &s.Model.Pipelined.Recovery
	}
	return t, r
}

// pipelinedJob is a pipelined job under one policy.
type pipelinedJob struct {
	sim.PipelineModel
	recovery pipeline.Recovery
	warnings []string
}

// pipelined returns the model that a policy runs, and doubts about it. Errors of
// throughput and recovery are a *partError.
func (s *Spec) pipelined(p *Policy) (out pipelinedJob, err error) {
	m := s.Model.Pipelined
	from, r := s.parts(p)
	known, again := s.throughputs[*from]
	if !again {
		if known.Throughput, known.warnings, err = s.throughput(from); err != nil {
			return out, &partError{"throughput", err}
		}
		if s.throughputs == nil {
			s.throughputs = map[Throughput]knownThroughput{}
		}
		s.throughputs[*from] = known
	}
	if out.recovery, err = r.recovery(); err != nil {
		return out, &partError{"recovery", err}
	}
	out.warnings = known.warnings
	total := m.Samples
	if m.Steps > 0 {
		total = m.Steps * known.Samples
	}
	if out.recovery.Loss != pipeline.LossMigrated {
		out.PipelineModel, err = pipeline.New(total, known.Samples, known.Layouts, out.recovery)
		return out, err
	}
	costs, err := s.costs(r.Migration, &known.Throughput)
	if err == nil {
		out.PipelineModel, err = pipeline.NewMigrating(total, costs, out.recovery.Save, r.Migration.ServerShare)
	}
	if err != nil {
		err = &partError{"recovery.migration", err}
	}
	return out, err
}

// knownThroughput is one that was read or computed, which can take seconds.
type knownThroughput struct {
	pipeline.Throughput
	warnings []string
}

func (r *Recovery) recovery() (pipeline.Recovery, error) {
	out := pipeline.Recovery{Restart: seconds(r.RestartS), Reconfigure: seconds(r.ReconfigureS), Save: seconds(r.SaveS), Persist: seconds(r.PersistS),
		Slowdown: r.Slowdown, Redundant: r.Redundant}
	for _, q := range []quantity{{"restart_s", r.RestartS}, {"reconfigure_s", r.ReconfigureS}, {"save_s", r.SaveS}, {"persist_s", r.PersistS}} {
		if err := q.check(86400); err != nil {
			return out, err
		}
	}
	if out.Slowdown == 0 {
		out.Slowdown = 1
	}
	var err error
	if r.Loss != "" {
		out.Loss, err = pipeline.ParseLossRule(r.Loss)
	}
	if migrated := out.Loss == pipeline.LossMigrated; err == nil && migrated != (r.Migration != nil) {
		err = fmt.Errorf("loss is %v: migration is required with loss: migrated, and not allowed otherwise", out.Loss)
	}
	if r.Loss == "migrated" && (r.RestartS != 0 || r.ReconfigureS != 0 || r.PersistS != 0 || r.Slowdown != 0 || r.Redundant != 0) {
		err = fmt.Errorf("restart_s, reconfigure_s, persist_s, slowdown or redundant with loss: migrated, expected only save_s: migration has the other costs")
	}
	return out, err
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

// leastInstances returns the size of the smallest layout.
func leastInstances(m sim.PipelineModel) int {
	n := 1
	for d, _ := m.Best(n); d == 0; d, _ = m.Best(n) {
		n++
	}
	return n
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
