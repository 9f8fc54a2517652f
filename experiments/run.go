package experiments

import (
	"context"
	"math"
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
	doubts  [][len(endings)]string // the warnings of a run, by policy and ending

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
	study = &Study{Spec: s, Markets: m}
	study.models, err = s.models()
	study.Warnings = slices.Clone(m.Warnings)
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
				if errs[i] = w.point(seed, outcomes); errs[i] != nil {
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
		RedoneH: hours(sim.Redone), WaitingH: hours(sim.Waiting), StartingH: hours(sim.Starting),
		HorizonS: min(c.Horizon, c.Market.End().Sub(c.Start)).Seconds(), Warnings: s.doubts[p][ending(job)]}
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

// endings are the doubts about a run that lie in how it ended, which stand before
// those about its market and its model; the first: it finished.
var endings = [...]string{"",
	"training never began: no instance that could train was held (is the objective above the loss at which training starts?)",
	"the job was lost with its chief: cost and hours are those until then",
	"the run was cut before the job finished: cost and hours are those until then"}

// ending returns the number of the doubt.
func ending(job *sim.JobTotals) int {
	switch {
	case math.IsInf(job.Loss, 1):
		return 1
	case job.Lost:
		return 2
	case !job.Finished:
		return 3
	}
	return 0
}

// doubts are the warnings of a run with each of the endings.
func doubts(warnings []string) (all [len(endings)]string) {
	for i, e := range endings {
		list := warnings
		if e != "" {
			list = slices.Concat([]string{e}, warnings)
		}
		all[i] = strings.Join(list, "; ")
	}
	return all
}

// elapsed returns the seconds from the start of a run, which is at time 0.
func elapsed(t sim.Time) float64 { return t.Sub(0).Seconds() }
