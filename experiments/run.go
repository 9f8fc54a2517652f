package experiments

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// Study is a spec that is ready to run.
type Study struct {
	Spec    *Spec
	Markets *Markets
	models  []modelOf              // by policy
	doubts  [][len(endings)]string // the warnings of every run, by policy and ending

	// Timelines is the number of seeds, from the first, whose runs keep what
	// happened in them: spans, decisions, candidates and instances. NewStudy sets
	// it to the spec's, 1 if that is silent; nothing is gained where nobody reads
	// them, and a run that keeps them takes many times as long.
	Timelines int

	// Warnings are why the numbers may mislead, of all policies.
	Warnings []string

	// Progress, if set, is called after every seed with the number of runs
	// done and of all runs, from several goroutines.
	Progress func(done, all int)
}

// NewStudy opens what the spec refers to.
func NewStudy(s *Spec) (*Study, error) {
	m, err := s.Markets()
	if err != nil {
		return nil, err
	}
	return NewStudyOn(s, m)
}

// NewStudyOn opens the model that the spec refers to, on markets that are those
// of the spec.
func NewStudyOn(s *Spec, m *Markets) (study *Study, err error) {
	study = &Study{Spec: s, Markets: m, Timelines: valueOr(s.Timelines, 1)}
	study.models, err = s.models()
	study.Warnings = slices.Concat(s.Warnings(), m.Warnings)
	for i := range m.passing {
		study.Warnings = append(study.Warnings, m.passing[i].text)
	}
	for _, of := range study.models {
		for _, w := range of.warnings {
			if !slices.Contains(study.Warnings, w) {
				study.Warnings = append(study.Warnings, w)
			}
		}
		study.doubts = append(study.doubts, doubts(slices.Concat(of.warnings, m.Warnings)))
	}
	return study, err
}

// Runs returns the number of runs. They are numbered by objective, then policy,
// then seed.
func (s *Study) Runs() int {
	return len(s.Spec.Objectives) * len(s.Spec.Policies) * s.Spec.Seeds
}

// outcome is what one run leaves behind.
type outcome struct {
	summary results.Summary
	diary   *diary // nil if no timeline is kept
}

// Run runs everything, a goroutine a core, and returns the rows in the order of
// the runs: they do not depend on how many goroutines there are. It stops early
// when ctx is done.
func (s *Study) Run(ctx context.Context) (*results.Set, error) {
	outcomes := make([]outcome, s.Runs())
	var next, done atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for i := range errs {
		wait.Go(func() {
			w := s.Worker()
			for {
				seed := int(next.Add(1)) - 1
				if seed >= s.Spec.Seeds || ctx.Err() != nil {
					return
				}
				if errs[i] = guarded(func() error { return w.point(seed, outcomes) }); errs[i] != nil {
					return
				}
				if s.Progress != nil {
					each := s.Runs() / s.Spec.Seeds
					s.Progress(int(done.Add(int64(each))), s.Runs())
				}
			}
		})
	}
	wait.Wait()
	for _, err := range append(errs, ctx.Err()) {
		if err != nil {
			return nil, err
		}
	}
	return gather(outcomes), nil
}

// guarded makes an error of a panic, of a policy for one: people who run a study do
// not read stacks.
func guarded(work func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("a fault of the program or of a policy, please report it with the spec: %v", x)
		}
	}()
	return work()
}

func gather(outcomes []outcome) *results.Set {
	set := &results.Set{}
	for i := range outcomes {
		set.Summaries = append(set.Summaries, outcomes[i].summary)
		if d := outcomes[i].diary; d != nil {
			set.Spans = append(set.Spans, d.spans...)
			set.Decisions = append(set.Decisions, d.decisions...)
			set.Candidates = append(set.Candidates, d.candidates...)
			set.Instances = append(set.Instances, d.instances...)
		}
	}
	return set
}

func (s *Spec) job(o int, model sim.Model) sim.Job {
	b := &s.Market.Billing
	servers := s.Model.Training.servers()
	if s.Model.Pipelined != nil {
		servers = 0
	}
	return sim.Job{Name: s.Objectives[o].Name, Model: model,
		Objective:        sim.Objective{Loss: s.Objectives[o].Loss, Within: seconds(s.Objectives[o].TimeS)},
		ParameterServers: servers, ParameterServerPrice: valueOr(b.ParameterServerUSDPerH, parameterServerUSDPerH),
		StorageGB: b.StorageGB, StoragePrice: b.StorageUSDPerGBMonth}
}

// parameterServerUSDPerH is the on-demand price of m5.xlarge in us-east-1, on
// which spotDNN runs its parameter server (AWS price list).
const parameterServerUSDPerH = 0.192

func (s *Spec) billing() sim.Billing {
	b := &s.Market.Billing
	rules := sim.PerSecond()
	if b.IncrementS != nil {
		rules.Increment = seconds(*b.IncrementS)
	}
	if b.MinimumS != nil {
		rules.Minimum = seconds(*b.MinimumS)
	}
	rules.FreeFirstHour, rules.SkipParameterServers = b.FreeFirstHour, b.SkipParameterServers
	return rules
}

func (s *Study) summary(t *sim.Totals, c *sim.Config, l label, p int) results.Summary {
	job, bill, asked := &t.Jobs[0], &t.Bill, c.Jobs[0].Objective
	_, oracle := c.Policy.(sim.Oracle)
	hours := func(a sim.Activity) float64 { return job.Activities[a].Hours() }
	r := results.Summary{Run: l.run, Scenario: l.scenario, Objective: l.objective, Policy: l.policy, Seed: l.seed,
		Market: s.Markets.Name, Replay: s.Markets.Replay, Unit: s.Markets.Unit, Oracle: oracle,
		ObjectiveLoss: asked.Loss, ObjectiveS: asked.Within.Seconds(), Finished: job.Finished,
		LossReached: job.Loss, Progress: job.Done, Iterations: job.Iterations, Samples: job.Samples,
		CostUSD: bill.Total(), CostSpotUSD: bill.Spot, CostOnDemandUSD: bill.OnDemand, CostPSUSD: bill.ParameterServers,
		CostStorageUSD: bill.Storage, CostTopupUSD: bill.TopUp, RefundUSD: bill.Refund,
		Preemptions: t.Preemptions, Notices: t.Notices, Unannounced: t.Unannounced, Requests: t.Requests, Grants: t.Grants,
		Decisions: t.Decisions, Wakes: t.Wakes, PlanChanges: t.PlanChanges, QuotaRefusals: t.QuotaRefusals,
		InstanceH: job.InstanceTime.Hours(), UsefulH: hours(sim.Useful), RedundantH: hours(sim.Redundant),
		CheckpointingH: hours(sim.Checkpointing), RestoringH: hours(sim.Restoring), ReconfiguringH: hours(sim.Reconfiguring),
		LostH: hours(sim.Redone), WaitingH: hours(sim.Waiting), StartingH: hours(sim.Starting),
		HorizonS: min(c.Horizon, c.Market.End().Sub(c.Start)).Seconds(), Warnings: s.warnings(p, ending(job), c.Start, t.End)}
	if job.Activities[sim.Checkpointing].Hours() > MuchSaving*job.InstanceTime.Hours() {
		r.Warnings = strings.TrimSuffix(muchSaving+"; "+r.Warnings, "; ")
	}
	if job.Finished {
		finish := job.Elapsed.Seconds()
		r.FinishS = &finish
		r.Met = job.Elapsed <= asked.Within
		if late := (job.Elapsed - asked.Within).Seconds(); !r.Met {
			r.MissedByS = &late
		}
	}
	return r
}

// elapsed returns the seconds from the start of a run, which is at time 0.
func elapsed(t sim.Time) float64 { return t.Sub(0).Seconds() }
