package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// ManyJobs is the number of jobs above which runs keep no timelines, unless the spec says that they do.
const ManyJobs = 100_000

// openJobs reads the many jobs of a spec and makes those of its first seed, so that what is wrong with them is
// known before anything runs.
func (s *Study) openJobs() error {
	work, err := workload.Open(s.Spec)
	if err != nil {
		return err
	}
	s.work = work
	s.Warnings = append(s.Warnings, work.Warnings...)
	market, err := s.Markets.For(uint64(s.Spec.Seed))
	if err != nil {
		return err
	}
	first, err := work.For(s.Spec.Seed, market, 0)
	if err != nil {
		return s.Spec.ErrorAt("$.jobs", "%v", err)
	}
	if first.N > ManyJobs && s.Spec.Timelines == nil {
		s.Timelines = 0
	}
	for i := range s.Spec.Policies {
		policy, err := s.Spec.Policies[i].New()
		if err == nil {
			err = s.checkPlaces(i, policy, first)
		}
		if err != nil {
			return err
		}
	}
	if first.Dropped > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of %d jobs were left out: they ask for more GPUs than there are on which they run (drop_too_large)",
			first.Dropped, first.Dropped+first.N))
	}
	if first.Unnamed != "" {
		s.Warnings = append(s.Warnings, first.Unnamed)
	}
	for _, kind := range first.Strange {
		s.Warnings = append(s.Warnings, fmt.Sprintf("model.gang.network_by_kind: no job is of kind %q", kind))
	}
	if m, g := &s.Spec.Market, s.Spec.Model.Gang; len(m.Tiers) > 0 && (m.Moves == nil || m.Moves.ByTier == nil) && (g == nil || g.Network == nil && g.NetworkByKind == nil) {
		s.Warnings = append(s.Warnings, "market.tiers: how far apart GPUs are changes no speed and no price of a move (model.gang.network and market.moves.by_tier say what it changes)")
	}
	if s.Spec.Seeds > 1 && !work.Drawn() && s.Spec.FixedCluster() {
		s.Warnings = append(s.Warnings, "all seeds are alike: the jobs are those of the trace, and the cluster does not change; --seeds 1 says the same")
	}
	return nil
}

// checkPlaces refuses schedulers that would give a job GPUs on which it does not run, and keep them for ever, and those that
// would never have GPUs for a job.
func (s *Study) checkPlaces(i int, policy sim.Policy, work *workload.Jobs) error {
	at := fmt.Sprintf("$.policies[%d]", i)
	if _, knows := policy.(interface{ KnowsModels() }); !knows && work.Picky != "" {
		return s.Spec.ErrorAt(at, "policy %s does not say that it looks at models of GPU (KnowsModels), but %s: it would hold GPUs there for ever; "+
			"expected one of marigram's schedulers, or servers on which all jobs run", policy.Name(), work.Picky)
	}
	if r, says := policy.(interface{ RentsOnDemand() bool }); says && !r.RentsOnDemand() && work.Stranded != "" {
		return s.Spec.ErrorAt(at, "policy %s rents nothing on demand, but %s: it would wait for ever; expected more servers, or a scheduler that rents (starburst, eva-like, deadline-spot)",
			policy.Name(), work.Stranded)
	}
	if f, says := policy.(interface{ Fits() schedulers.Fit }); says {
		larger := [...]string{"", work.Larger.Model, work.Larger.Pool, work.Larger.GPU}[f.Fits()]
		if larger != "" {
			return s.Spec.ErrorAt(at, "policy %s runs a job on %v only, but %s: it would wait for ever; expected smaller jobs, or a scheduler such as fifo, las or tiresias",
				policy.Name(), f.Fits(), larger)
		}
	}
	return nil
}

// runJobs runs one case of many jobs, with its timeline if that is wanted. Without one, a scheduler that can
// has its jobs one by one, so that they are not held.
func (w *Worker) runJobs(c Case, policy sim.Policy, keep keeping) (out record, err error) {
	s, spec := w.study, w.study.Spec
	if w.work == nil || !w.work.Are(c.Seed, w.market, c.Start) {
		w.list, w.held = nil, nil
		if w.work, err = s.work.For(c.Seed, w.market, c.Start); err != nil {
			return out, err
		}
	}
	work := w.work
	if err := s.checkPlaces(c.Policy, policy, work); err != nil {
		return out, err
	}
	if many, can := sparse(policy); can && work.N > ManyJobs && !keep.timeline {
		policy = many
	}
	config, label := w.config(c, policy), w.label(c, policy)
	tally := newJobTally(label, &config, work.N)
	if keep.jobs {
		tally.emit = s.keeper(&out, work.N, keep.timeline)
	}
	config.Jobs, config.Sharing = nil, s.work.Sharing()
	_, tells := policy.(sim.Scheduler) // other worlds do not tell what a job came to
	if tells {
		config.JobRecorder = tally
	}
	if sourced(policy, w.market) && !keep.timeline {
		config.Source = work.Telling(tally.meet)
	} else {
		if w.held == nil {
			if w.list, w.held, err = work.Hold(); err != nil {
				return out, err
			}
		}
		config.Jobs = w.held
		for j := range w.list {
			tally.meet(j, &w.list[j])
		}
		if keep.timeline {
			r := newClusterRecorder(label, w.market, config.Start, w.list)
			out.timeline, config.Recorder = &r.timelineRecorder, r
		}
	}
	if err := w.world.Reset(config); err != nil {
		return out, err
	}
	totals := w.world.Run()
	if !tells {
		tally.replay(config.Jobs, totals)
	}
	if err := cmp.Or(w.world.Err(), tally.close(work)); err != nil {
		return out, err
	}
	out.summary = s.summaryOfJobs(totals, &config, tally, c.Policy, work)
	if keep.timeline {
		out.timeline.close(totals.End)
	}
	out.summary.HorizonS = min(spec.HorizonS, out.summary.HorizonS)
	return out, nil
}

// sourced reports whether a policy can have its jobs one by one.
func sourced(p sim.Policy, m *sim.Market) bool {
	_, many := p.(sim.Scheduler)
	_, packs := p.(sim.Packer)
	for k := range m.Pools() {
		many = many && (packs || m.Pool(k).Wait == 0)
	}
	return many
}

// keeper returns what takes the rows of the jobs of a run: they are in the order of their numbers in a record with a
// timeline, and handed on as the jobs end in one without.
func (s *Study) keeper(out *record, jobs int, timeline bool) func(*results.Job) error {
	if !timeline && s.JobRow != nil {
		return s.JobRow
	}
	out.jobs = make([]results.Job, jobs)
	return func(r *results.Job) error {
		out.jobs[r.Number] = *r
		return nil
	}
}

// summaryOfJobs fills the row of a run of many jobs that is over.
func (s *Study) summaryOfJobs(t *sim.Totals, c *sim.Config, of *jobTally, p int, work *workload.Jobs) results.Summary {
	all := sim.MachineTime(0)
	for _, x := range of.activities {
		all += x
	}
	r := s.totalsOf(t, c, of.label, &of.activities, all)
	for p := range t.Pools {
		r.CostCoveredUSD += t.Pools[p].CoveredUSD
	}
	r.ObjectiveS = s.Spec.HorizonS
	r.Jobs, r.JobsDropped, r.JobsDone = int64(work.N), int64(work.Dropped), of.jobsDone
	r.Suspensions, r.JobsStopped, r.JobMoves = of.suspensions, of.stopped, of.moves
	r.Deadlines, r.Punctual = of.deadlines, of.punctual
	if r.Finished = r.JobsDone == r.Jobs; r.Finished {
		last := of.last
		r.FinishS, r.Met = &last, last <= r.ObjectiveS
		if late := last - r.ObjectiveS; !r.Met {
			r.MissedByS = &late
		}
	}
	jct, queue, fairness := numbers(of.jct), numbers(of.queue), numbers(of.fairness)
	r.Progress = *meanOf(of.done)
	r.JCTMeanS, r.QueueMeanS, r.FTFMean = meanOf(jct), meanOf(queue), meanOf(fairness)
	r.JCTP50S, r.JCTP90S, r.JCTP95S, r.JCTP99S, r.JCTMaxS = percentile(jct, 50), percentile(jct, 90), percentile(jct, 95), percentile(jct, 99), percentile(jct, 100)
	r.LateMeanS, r.LateP95S = meanOf(of.late), percentile(of.late, 95)
	r.QueueP95S, r.FTFMax = percentile(queue, 95), percentile(fairness, 100)
	r.Utilisation = utilisation(t, c)
	r.Warnings = strings.TrimPrefix(strings.Join(s.warningsOfJobs(&r, p, c.Start, t.End), "; "), "; ")
	return r
}

// numbers leaves out what is NaN.
func numbers(x []float64) []float64 { return slices.DeleteFunc(x, math.IsNaN) }

// warningsOfJobs are those of a run of many jobs.
func (s *Study) warningsOfJobs(r *results.Summary, policy int, from, until sim.Time) (texts []string) {
	if left := r.Jobs - r.JobsDone; left > 0 {
		texts = append(texts, fmt.Sprintf("%d of %d jobs were not done when the run was cut: means and percentiles of completion times are without them", left, r.Jobs))
	}
	if text := s.warningsOf(policy, 0, from, until); text != "" {
		texts = append(texts, text)
	}
	return texts
}

// meanOf returns nil for no numbers.
func meanOf(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	sum /= float64(len(x))
	return &sum
}

// percentile returns the smallest number that is not below that share of them; nil for none. It
// sorts them.
func percentile(x []float64, percent int) *float64 {
	if len(x) == 0 {
		return nil
	}
	slices.Sort(x)
	v := x[max((percent*len(x)+99)/100-1, 0)]
	return &v
}

// utilisation returns the share of the GPU time that was there, until the last job was done, in which jobs held it: of the
// servers, and of spot pools as far as the quota goes; nil where there was none.
func utilisation(t *sim.Totals, c *sim.Config) *float64 {
	if rentsWhole(c) {
		return nil
	}
	there, held := 0.0, 0.0
	for p := range c.Market.Pools() {
		if x := c.Market.Pool(p); !x.OnDemand {
			there += hoursThere(c.Market, p, c.Start, t.End)
			held += t.Pools[p].InstanceHours
		}
	}
	if there <= 0 {
		return nil
	}
	share := min(held/there, 1)
	return &share
}

// rentsWhole reports whether a policy rents instances for all jobs, and not GPUs.
func rentsWhole(c *sim.Config) bool {
	_, packs := c.Policy.(sim.Packer)
	for p := range c.Market.Pools() {
		packs = packs && c.Market.Pool(p).Full != sim.Resources{1}
	}
	return packs
}

// hoursThere is for how long instances of a pool could be held, within its quota.
func hoursThere(m *sim.Market, p int, from, to sim.Time) (hours float64) {
	quota := m.Pool(p).Quota
	if _, limited := m.Capacity(p, from); !limited {
		return float64(quota) * to.Sub(from).Hours()
	}
	at := m.Changes(p)
	slices.Sort(at)
	at = append(at, to)
	for _, until := range at {
		if until = min(until, to); until > from {
			n, _ := m.Capacity(p, from)
			hours += float64(max(min(n, quota), 0)) * until.Sub(from).Hours()
			from = until
		}
	}
	return hours
}

// serverGroup is the servers of one model of GPU.
type serverGroup struct {
	model string
	first int32 // a pool of it
	gpus  float64
}

// serversOf returns the servers that are always there, by model.
func serversOf(c *sim.Config) (groups []serverGroup) {
	if rentsWhole(c) {
		return nil
	}
	for p := range c.Market.Pools() {
		x := c.Market.Pool(p)
		if _, limited := c.Market.Capacity(p, c.Start); x.OnDemand || limited {
			continue
		}
		g := slices.IndexFunc(groups, func(g serverGroup) bool { return g.model == x.GPU })
		if g < 0 {
			g = len(groups)
			groups = append(groups, serverGroup{model: x.GPU, first: int32(p)})
		}
		groups[g].gpus += float64(x.Quota)
	}
	return groups
}
