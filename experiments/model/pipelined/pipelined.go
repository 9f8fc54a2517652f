// Package pipelined is the kind of models of synchronous training on pipelines of stages, measured or computed from
// layers (package calibrate/pipeline). A policy may have a throughput and a recovery of its own.
package pipelined

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:    "pipelined",
		Name:   "pipelined",
		Doc:    "synchronous training, data-parallel or in pipelines",
		Shares: "pipelines",
		Job:    func() model.Job { return &Pipelined{} },
		Own:    func() any { return &Own{} },
		Serves: []policies.Needs{policies.RestartingPipelines, policies.CoveredPipelines, policies.ReplicatedPipelines,
			policies.MigratingPipelines},
		Names: func() map[string][]string {
			return map[string][]string{
				"throughput.published":         pipeline.PublishedThroughputs(),
				"recovery.migration.published": pipeline.ParcaeNetworks(),
			}
		},
	})
}

// needsAfter is what policies need of a model, by what a loss does.
var needsAfter = map[pipeline.LossRule]policies.Needs{
	pipeline.LossRestarts:       policies.RestartingPipelines,
	pipeline.LossCovered:        policies.CoveredPipelines,
	pipeline.LossReinstantiated: policies.ReplicatedPipelines,
	pipeline.LossMigrated:       policies.MigratingPipelines,
}

// Pipelined is synchronous training on pipelines of stages, until n samples are trained.
type Pipelined struct {
	Samples    float64    `json:"samples,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in samples"`
	Steps      float64    `json:"steps,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in steps, instead"`
	Throughput Throughput `json:"throughput" jsonschema:"how fast it trains, by layout; a policy may have its own"`
	Recovery   Recovery   `json:"recovery,omitzero" jsonschema:"what losses and saves cost; a policy may have its own"`

	read map[Throughput]*speeds // which can take seconds to read or to compute
}

// Own is what a policy has in place of the job's.
type Own struct {
	Throughput *Throughput `json:"throughput,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
	Recovery   *Recovery   `json:"recovery,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
}

// trained is the job under one policy.
type trained struct {
	sim.PipelineModel
	recovery pipeline.Recovery
	warnings []string // of its throughput
}

// Open implements model.Job.
func (p *Pipelined) Open(s model.Study) (*model.Opened, error) {
	for _, pool := range s.Pools() {
		if pool.Type != s.Pools()[0].Type {
			return nil, s.ErrorAt("$.market.pools",
				"several instance types, expected one: a throughput is for one type")
		}
	}
	job, err := p.under(s, &Own{})
	if err != nil {
		return nil, err
	}
	return job.opened(job.warnings), nil
}

// OpenFor implements model.PerPolicy.
func (p *Pipelined) OpenFor(s model.Study, policy *model.Policy) (*model.Opened, error) {
	job, err := p.under(s, policy.Own.(*Own))
	if err != nil {
		return nil, err
	}
	warnings := slices.Concat(job.warnings,
		p.warnReplicating(s, policy), job.warnLayouts(s, policy), p.warnRecovery(policy))
	return job.opened(warnings), nil
}

func (t *trained) opened(warnings []string) *model.Opened {
	on := func([]sim.Pool) (sim.Model, error) { return t.PipelineModel, nil }
	return &model.Opened{On: on, Warnings: warnings}
}

// CheckFor implements model.PerPolicy.
func (p *Pipelined) CheckFor(s model.Study, policy *model.Policy) error {
	job, err := p.under(s, policy.Own.(*Own))
	if err != nil {
		return err
	}
	needs := policy.Needs
	if needs != policies.OneType && !needs.ForAnyModel() && needs != needsAfter[job.recovery.Loss] {
		return fmt.Errorf("it needs %v, but recovery.loss is %v", needs, job.recovery.Loss)
	}
	made, err := policy.New()
	if err != nil {
		return err
	}
	settings := policies.Numbers(made)
	largest := policy.Fleet
	if instances := int(settings["instances"]); instances > 0 {
		largest = min(instances, largest)
	}
	if smallest := model.SmallestOf(job); smallest > largest {
		return fmt.Errorf("the smallest layout of the throughput has %d instances, but it may hold at most %d",
			smallest, largest)
	}
	if planned := min(largest, job.MaxUseful()); parcae.PlansAhead(made) && planned > parcae.MaxPlanned {
		return fmt.Errorf("it plans for at most %d instances, but may hold %d: set instances",
			parcae.MaxPlanned, planned)
	}
	interval := settings["interval_s"]
	if _, given := policy.Settings["interval_s"]; given && interval == 0 {
		return fmt.Errorf("interval_s is 0, expected more than 0 (leave it out for the rule's interval)")
	}
	if policy.Name == "checkpoint" && interval == 0 && job.recovery.Save == 0 {
		return fmt.Errorf("the interval of the rule is 0 because a save takes no time: " +
			"expected a save_s above 0, or interval_s")
	}
	return nil
}

// Suits implements model.PerPolicy.
func (p *Pipelined) Suits(s model.Study, needs policies.Needs, fleet int) bool {
	if needs == policies.OneType {
		return true
	}
	job, err := p.under(s, &Own{})
	if err != nil {
		return needs.ForAnyModel()
	}
	return (needs.ForAnyModel() || needs == needsAfter[job.recovery.Loss]) && model.SmallestOf(job) <= fleet
}

// SizeInSamples implements model.Sized: how many samples a step has is known only when the throughput was read.
func (p *Pipelined) SizeInSamples() float64 { return p.Samples }

// Servers implements model.ServerUser: parameter servers keep the states of a job that is migrated.
func (p *Pipelined) Servers(s model.Study) (atStart int, unused string) {
	migrates := p.Recovery.Migration != nil
	for _, policy := range s.Policies() {
		own := policy.Own.(*Own).Recovery
		migrates = migrates || own != nil && own.Migration != nil
	}
	if !migrates {
		unused = "no policy uses one (they need loss: migrated)"
	}
	return 0, unused
}

// parts returns what makes the job under a policy: its own, or else the job's.
func (p *Pipelined) parts(own *Own) (*Throughput, *Recovery) {
	throughput := own.Throughput
	if throughput == nil {
		throughput = &p.Throughput
	}
	recovery := own.Recovery
	if recovery == nil {
		recovery = &p.Recovery
	}
	return throughput, recovery
}

// under returns the job under a policy. Errors are those of model.At.
func (p *Pipelined) under(s model.Study, own *Own) (*trained, error) {
	throughput, recovery := p.parts(own)
	speeds, err := p.speedsOf(s, throughput)
	if err != nil {
		return nil, model.At("throughput", err)
	}
	job := trained{warnings: speeds.warnings}
	if job.recovery, err = recovery.rules(); err != nil {
		return nil, model.At("recovery", err)
	}
	samples := p.Samples
	if p.Steps > 0 {
		samples = p.Steps * speeds.Samples
	}
	if job.recovery.Loss != pipeline.LossMigrated {
		job.PipelineModel, err = pipeline.New(samples, speeds.Samples, speeds.Layouts, job.recovery)
		return &job, err
	}
	migration := recovery.Migration
	costs, err := migration.costs(s, &speeds.Throughput)
	if err == nil {
		job.PipelineModel, err = pipeline.NewMigrating(samples, costs, job.recovery.Save, migration.ServerShare)
	}
	if err != nil {
		return nil, model.At("recovery.migration", err)
	}
	return &job, nil
}

// speedsOf reads or computes a throughput, unless that was done before.
func (p *Pipelined) speedsOf(s model.Study, throughput *Throughput) (*speeds, error) {
	if known := p.read[*throughput]; known != nil {
		return known, nil
	}
	found, err := throughput.open(s)
	if err != nil {
		return nil, err
	}
	if p.read == nil {
		p.read = map[Throughput]*speeds{}
	}
	p.read[*throughput] = found
	return found, nil
}

// Files implements model.Reader.
func (p *Pipelined) Files(model.Study) []string { return files(&p.Throughput, &p.Recovery) }

// Files implements model.Reader.
func (o *Own) Files(model.Study) []string { return files(o.Throughput, o.Recovery) }

func files(throughput *Throughput, recovery *Recovery) (names []string) {
	if throughput != nil {
		names = append(names, throughput.Table, throughput.Layers)
	}
	if recovery != nil && recovery.Migration != nil {
		names = append(names, recovery.Migration.Layers)
	}
	return names
}
