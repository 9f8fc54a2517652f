package experiments

import (
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// oneJob is the work of a spec with objectives: a run does the job of one of them.
type oneJob struct{ study *Study }

func openOneJob(s *Study) (work, error) { return oneJob{s}, nil }

func (oneJob) inputs() []traces.SourceFile { return nil }
func (oneJob) batches() bool               { return true }
func (oneJob) believed() bool              { return false }

// keepJobs keeps the rows of all points: there is one a run.
func (w oneJob) keepJobs(func(*results.Job) error) { w.study.JobRows = w.study.Points() }

// warnBounds finds settings that are too small, objectives that cannot be met, and bounds that are not known.
func (w oneJob) warnBounds() (err error) {
	s := w.study
	if s.tooSmall, err = s.findTooSmall(); err != nil {
		return err
	}
	unreachable, err := s.warnUnreachable()
	s.Warnings = append(s.Warnings, unreachable...)
	if err == nil && s.Spec.Bound {
		err = s.warnUnbounded()
	}
	return err
}

func (oneJob) fill(r *results.Summary, t *sim.Totals, c *sim.Config, _ *jobTally) (within time.Duration) {
	job, asked := &t.Jobs[0], &c.Jobs[0].Objective
	r.ObjectiveLoss = asked.Loss
	r.ObjectiveS = asked.Within.Seconds()
	r.LossReached = job.Loss
	r.Iterations = job.Iterations
	r.Samples = job.Samples
	return asked.Within
}

func (oneJob) warnEnd(r *results.Summary, t *sim.Totals) (outcome int, texts []string) {
	texts = make([]string, 0, 4) // for those that the caller adds as well
	if r.CheckpointingH > MuchSaving*r.InstanceH {
		texts = append(texts, muchSaving)
	}
	return outcomeOf(&t.Jobs[0]), append(texts, untrained(r))
}

func (w oneJob) runs() runJobs { return &oneJobRuns{study: w.study} }

// oneJobRuns is the job of each run of a worker.
type oneJobRuns struct {
	study  *Study
	market *sim.Market
	models []sim.Model
	list   [1]workload.Job
	held   [1]sim.Job
}

func (x *oneJobRuns) enter(m *sim.Market, seed int64) ([]sim.Model, error) {
	x.market = m
	x.models = nil
	pools := spec.PoolsOf(m)
	for i, of := range x.study.models {
		if i > 0 && !of.PerPolicy {
			x.models = append(x.models, x.models[0])
			continue
		}
		on := of.On
		if of.OnSeed != nil {
			on = func(pools []sim.Pool) (sim.Model, error) { return of.OnSeed(pools, seed) }
		}
		model, err := on(pools)
		if err != nil {
			return nil, err
		}
		x.models = append(x.models, model)
	}
	return x.models, nil
}

func (x *oneJobRuns) load(c Case, _ sim.Policy) error {
	x.held[0] = x.study.Spec.Job(c.Objective, x.models[c.Policy])
	x.list[0] = workload.Job{ID: x.held[0].Name, Weight: 1, Deadline: x.held[0].Objective.Within}
	return nil
}

func (x *oneJobRuns) hold() ([]workload.Job, []sim.Job, error) { return x.list[:], x.held[:], nil }

func (*oneJobRuns) source(func(number int, j *workload.Job)) sim.Source { return nil }

func (*oneJobRuns) begin(t *jobTally, l label, c *sim.Config) { t.begin(l, c, 1) }

func (x *oneJobRuns) record(l label, start sim.Time) timeline {
	return newJobRecorder(l, x.market, start, x.held[0].Model)
}

func (x *oneJobRuns) each(each func(number int, j *workload.Job)) error {
	each(0, &x.list[0])
	return nil
}
