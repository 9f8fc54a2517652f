package experiments

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// MostJobsInTimelines is the number of jobs above which runs keep no timelines, unless the spec says that they do.
const MostJobsInTimelines = 100_000

// manyJobs is the work of a spec with jobs: a run does all of them, on a cluster that they share.
type manyJobs struct {
	study *Study
	load  *workload.Workload
}

// openManyJobs reads the jobs of a spec and makes those of its first seed, so that what is wrong with them is known
// before anything runs.
func openManyJobs(s *Study) (work, error) {
	load, err := workload.Open(s.Spec)
	if err != nil {
		return nil, err
	}
	s.Warnings = append(s.Warnings, load.Warnings...)
	market, err := s.Markets.For(uint64(s.Spec.Seed))
	if err != nil {
		return nil, err
	}
	first, err := load.For(s.Spec.Seed, market, 0)
	if err != nil {
		return nil, s.Spec.ErrorAt("$.jobs", "%v", err)
	}
	if first.N > MostJobsInTimelines && s.Spec.Timelines == nil {
		s.Timelines = 0
	}
	for i := range s.Spec.Policies {
		policy, err := s.Spec.Policies[i].New()
		if err == nil {
			err = s.checkPlaces(i, policy, first)
		}
		if err == nil {
			err = s.checkClaim(i, policy, first, market)
		}
		if err != nil {
			return nil, err
		}
		s.warnClass(&s.Spec.Policies[i], policy, first)
		s.warnRounds(i, policy)
	}
	s.warnJobs(first)
	if s.Spec.Seeds > 1 && !load.Drawn() && s.Spec.FixedCluster() &&
		len(s.Spec.Failures()) == 0 && len(s.Spec.Slow()) == 0 {
		s.warn("all seeds are alike: the jobs are those of the trace, and the cluster does not change; " +
			"--seeds 1 says the same")
	}
	return &manyJobs{study: s, load: load}, nil
}

// claimer is a policy that decides by what users ask beside GPUs (sim.Job.Claim).
type claimer interface {
	CheckClaim(claim any, market *sim.Market) error
}

// checkClaim reports that a policy needs what users do not ask for, and warns where it decides without what they ask.
func (s *Study) checkClaim(i int, policy sim.Policy, jobs *workload.Jobs, market *sim.Market) error {
	if by, is := policy.(claimer); is {
		place := fmt.Sprintf("$.policies[%d]", i)
		if claims := s.Spec.Jobs.Claims.Chosen(); claims != nil {
			place = "$.jobs." + claims.Key()
		}
		if err := by.CheckClaim(jobs.Claim, market); err != nil {
			return s.Spec.ErrorAt(place, "%v", err)
		}
		return nil
	}
	if claims := s.Spec.Jobs.Claims.Chosen(); claims != nil {
		s.warn("policy %s does not decide by jobs.%s", policy.Name(), claims.Key())
	}
	return nil
}

// warnJobs warns of what the jobs of the first seed leave unused, and of how their speeds are known.
func (s *Study) warnJobs(first *workload.Jobs) {
	if first.Dropped > 0 {
		s.warn("%d of %d jobs were left out: they ask for more GPUs than there are on which they run (drop_too_large)",
			first.Dropped, first.Dropped+first.N)
	}
	if first.Unnamed != "" {
		s.Warnings = append(s.Warnings, first.Unnamed)
	}
	for _, of := range first.Strange {
		s.warn("%s: no job is of kind %q", of.Setting, of.Kind)
	}
	if first.Perfect != "" {
		s.Warnings = append(s.Warnings, first.Perfect)
	}
	m := &s.Spec.Market
	g := s.Spec.Model.Gang
	if g != nil && first.Resizable == 0 && (g.ResizeS != nil || g.ResizeLoses) {
		s.warn("model.gang.resize_s, resize_loses: no job of the trace has min_gpus and max_gpus, " +
			"so that none changes its number of GPUs")
	}
	slows := g != nil && (g.Network != nil || g.NetworkByKind != nil)
	if len(m.Tiers) > 0 && (m.Moves == nil || m.Moves.ByTier == nil) && !slows {
		s.warn("market.tiers: how far apart GPUs are changes no speed and no price of a move " +
			"(model.gang.network and market.moves.by_tier say what it changes)")
	}
}

func (w *manyJobs) inputs() []traces.SourceFile { return w.load.Inputs }
func (*manyJobs) warnBounds() error             { return nil }
func (*manyJobs) batches() bool                 { return false }
func (w *manyJobs) believed() bool              { return w.study.Spec.Jobs.Believes() }

// keepJobs hands the rows of the first point on as the jobs end, where no timeline is kept: they may be very many.
func (w *manyJobs) keepJobs(row func(*results.Job) error) {
	if w.study.Timelines == 0 {
		w.study.JobRows = 1
		w.study.JobRow = row
	}
}

func (w *manyJobs) fill(r *results.Summary, t *sim.Totals, c *sim.Config, of *jobTally) (within time.Duration) {
	horizon := w.study.Spec.HorizonS
	r.ObjectiveS = horizon
	r.HorizonS = min(horizon, r.HorizonS)
	for p := range t.Pools {
		r.CostCoveredUSD += t.Pools[p].CoveredUSD
	}
	r.JobsDropped = of.dropped
	r.Suspensions = of.suspensions
	r.JobsStopped = of.stopped
	r.JobMoves = of.moves
	r.JobResizes = of.resizes
	r.Deadlines = of.deadlines
	r.Punctual = of.punctual
	fillTimes(r, of)
	r.Utilisation = utilisation(t, c)
	return c.Horizon
}

// fillTimes fills in what a row says of times of completion and waiting, of lateness and of fairness.
func fillTimes(r *results.Summary, of *jobTally) {
	completion := numbers(of.jct)
	queue := numbers(of.queue)
	fairness := numbers(of.fairness)
	mean := func(x []float64) *float64 { return stats.FiniteOrNil(stats.Mean(x)) }
	r.JCTMeanS = mean(completion)
	r.QueueMeanS = mean(queue)
	r.FTFMean = mean(fairness)
	r.LateMeanS = mean(of.late)
	for _, x := range [][]float64{completion, queue, fairness, of.late} {
		slices.Sort(x)
	}
	at := func(x []float64, share float64) *float64 { return stats.FiniteOrNil(stats.NearestRank(x, share)) }
	r.JCTP50S = at(completion, 0.5)
	r.JCTP90S = at(completion, 0.9)
	r.JCTP95S = at(completion, 0.95)
	r.JCTP99S = at(completion, 0.99)
	r.JCTMaxS = at(completion, 1)
	r.LateP95S = at(of.late, 0.95)
	r.QueueP95S = at(queue, 0.95)
	r.FTFMax = at(fairness, 1)
}

func (*manyJobs) warnEnd(r *results.Summary, _ *sim.Totals) (outcome int, texts []string) {
	if left := r.Jobs - r.JobsDone; left > 0 {
		texts = append(texts, fmt.Sprintf("%d of %d jobs were not done when the run was cut: means and percentiles of "+
			"completion times are without them",
			left, r.Jobs))
	}
	return 0, texts
}

func (w *manyJobs) runs() runJobs { return &manyJobsRuns{of: w} }

// manyJobsRuns is the jobs of the runs of a worker. They are held where a run needs all of them at once.
type manyJobsRuns struct {
	of     *manyJobs
	market *sim.Market
	jobs   *workload.Jobs // of the last run
	list   []workload.Job // them, if they had to be held
	held   []sim.Job      // list, as the world has it
}

func (x *manyJobsRuns) enter(m *sim.Market, _ int64) ([]sim.Model, error) {
	x.market = m
	return nil, nil
}

func (x *manyJobsRuns) load(c Case, policy sim.Policy) (err error) {
	if x.jobs == nil || !x.jobs.Are(c.Seed, x.market, c.Start) {
		x.list, x.held = nil, nil
		if x.jobs, err = x.of.load.For(c.Seed, x.market, c.Start); err != nil {
			return err
		}
	}
	return x.of.study.checkPlaces(c.Policy, policy, x.jobs)
}

func (x *manyJobsRuns) hold() (list []workload.Job, held []sim.Job, err error) {
	if x.held == nil {
		x.list, x.held, err = x.jobs.Hold()
	}
	return x.list, x.held, err
}

func (x *manyJobsRuns) source(told func(number int, j *workload.Job)) sim.Source {
	return x.jobs.Telling(told)
}

func (x *manyJobsRuns) begin(t *jobTally, l label, c *sim.Config) {
	t.begin(l, c, x.jobs.N)
	t.dropped = int64(x.jobs.Dropped)
	t.gangs = true
	t.groups = serversOf(c)
}

func (x *manyJobsRuns) record(l label, start sim.Time) timeline {
	return newClusterRecorder(l, x.market, start, x.list)
}

func (x *manyJobsRuns) each(each func(number int, j *workload.Job)) error { return x.jobs.Each(each) }

// warnClass warns of a class that is set, where all jobs are of the same or of none.
func (s *Study) warnClass(p *spec.Policy, policy sim.Policy, jobs *workload.Jobs) {
	edf, is := policy.(*schedulers.EDF)
	if _, set := p.Settings["class"]; !is || !set || edf.Class == schedulers.NoClass {
		return
	}
	of := jobs.Users
	if edf.Class == schedulers.ByKind {
		of = jobs.Kinds
	}
	why := fmt.Sprintf("no job has a %s", edf.Class)
	if of.One != "" {
		why = fmt.Sprintf("all jobs are of the %s %q", edf.Class, of.One)
	}
	if !of.Several {
		s.warn("policy %s: class has no effect, because %s", p.Name, why)
	}
}

// warnRounds warns of rounds of which a restart takes half or more: jobs that take turns get their GPUs anew in every
// round, and train for the rest of it.
func (s *Study) warnRounds(i int, policy sim.Policy) {
	turns, says := policy.(interface{ RoundLength() time.Duration })
	gang := s.Spec.Model.Gang
	if !says || gang == nil {
		return
	}
	round := turns.RoundLength().Seconds()
	if gang.RestartS < round/2 {
		return
	}
	at := fmt.Sprintf("$.policies[%d]", i)
	text := "trains in what is left of it"
	if gang.RestartS >= round {
		text = "never trains"
	}
	said := s.Spec.ErrorAt(at, "policy %s gives GPUs out anew every %v s (round_s), "+
		"and a job that was stopped restarts for %v s (model.gang.restart_s): one of several jobs that take turns %s; "+
		"set round_s to %v or more", policy.Name(), round, gang.RestartS, text, 10*gang.RestartS).Error()
	line, _, _ := strings.Cut(said, "\n")
	s.Warnings = append(s.Warnings, line)
}

// checkPlaces refuses schedulers that would give a job GPUs on which it does not run, and keep them for ever, and those
// that would never have GPUs for a job.
func (s *Study) checkPlaces(i int, policy sim.Policy, work *workload.Jobs) error {
	at := fmt.Sprintf("$.policies[%d]", i)
	if !sim.TraitsOf(policy).KnowsModels && work.Picky != "" {
		return s.Spec.ErrorAt(at, "policy %s does not say that it looks at models of GPU (sim.Traits.KnowsModels), "+
			"but %s: it would hold GPUs there for ever; expected one of marigram's schedulers, "+
			"or servers on which all jobs run", policy.Name(), work.Picky)
	}
	if r, says := policy.(interface{ RentsOnDemand() bool }); says && !r.RentsOnDemand() && work.Stranded != "" {
		return s.Spec.ErrorAt(at, "policy %s rents nothing on demand, but %s: it would wait for ever; "+
			"expected more servers, or a scheduler that rents (starburst, deadline-spot)",
			policy.Name(), work.Stranded)
	}
	if f, says := policy.(interface{ Fits() schedulers.Fit }); says {
		larger := [...]string{"", work.Larger.Model, work.Larger.GPU}[f.Fits()]
		if larger != "" {
			return s.Spec.ErrorAt(at, "policy %s runs a job on %v only, but %s: it would wait for ever; "+
				"expected smaller jobs, or a scheduler such as fifo, las or tiresias",
				policy.Name(), f.Fits(), larger)
		}
	}
	return nil
}
