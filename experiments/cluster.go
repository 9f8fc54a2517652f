package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/sim"
)

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
	first, err := work.For(s.Spec.Seed, market)
	if err != nil {
		return s.Spec.ErrorAt("$.jobs", "%v", err)
	}
	for i := range s.Spec.Policies {
		policy, err := s.Spec.Policies[i].New()
		if err == nil {
			err = s.checkBlind(i, policy, first.Picky)
		}
		if err != nil {
			return err
		}
	}
	if first.Dropped > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of %d jobs were left out: they ask for more GPUs than there are on which they run (drop_too_large)",
			first.Dropped, first.Dropped+len(first.List)))
	}
	if s.Spec.Seeds > 1 && !work.Drawn() && s.Spec.FixedCluster() {
		s.Warnings = append(s.Warnings, "all seeds are alike: the jobs are those of the trace, and the cluster does not change; --seeds 1 says the same")
	}
	return nil
}

// checkBlind refuses schedulers that would give a job GPUs on which it does not run, and keep them for ever.
func (s *Study) checkBlind(i int, policy sim.Policy, picky string) error {
	if _, knows := policy.(interface{ KnowsModels() }); !knows && picky != "" {
		return s.Spec.ErrorAt(fmt.Sprintf("$.policies[%d]", i), "policy %s does not look at models of GPU, but %s: it would hold GPUs there for ever; "+
			"expected schedulers that do (gavel and its rules, hadar-like, eva-like, no-packing), or servers on which all jobs run", policy.Name(), picky)
	}
	return nil
}

// runJobs runs one case of many jobs, with its timeline if that is wanted.
func (w *Worker) runJobs(c Case, policy sim.Policy, timeline bool) (out record, err error) {
	s, spec := w.study, w.study.Spec
	if w.work == nil || s.work.Drawn() && w.workSeed != c.Seed || w.workOn != w.market {
		w.work = nil
		if w.work, err = s.work.For(c.Seed, w.market); err != nil {
			return out, err
		}
		w.workSeed, w.workOn = c.Seed, w.market
	}
	if err := s.checkBlind(c.Policy, policy, w.work.Picky); err != nil {
		return out, err
	}
	config := w.config(c, policy)
	label := w.label(c, policy)
	if timeline {
		r := newClusterRecorder(label, w.market, config.Start, w.work)
		out.timeline, config.Recorder = &r.timelineRecorder, r
	}
	if err := w.world.Reset(config); err != nil {
		return out, err
	}
	totals := w.world.Run()
	rows := jobRows(label, totals, &config, w.work)
	out.summary = s.summaryOfJobs(totals, &config, label, c.Policy, w.work, rows)
	if timeline {
		out.timeline.close(totals.End)
		out.jobs = rows
	}
	out.summary.HorizonS = min(spec.HorizonS, out.summary.HorizonS)
	return out, nil
}

// jobRows are the rows of the jobs of a run that is over.
func jobRows(l label, t *sim.Totals, c *sim.Config, work *workload.Jobs) []results.Job {
	rows := make([]results.Job, len(t.Jobs))
	for j := range rows {
		x, of := &t.Jobs[j], &work.List[j]
		submit := of.Submit.Seconds()
		r := results.Job{Run: l.run, Policy: l.policy, Seed: l.seed, Number: int64(j), ID: of.ID, Kind: of.Kind, User: of.User, VC: of.VC,
			GPUs: int32(of.GPUs), Weight: of.Weight, SubmitS: submit, QueueS: x.Waited.Seconds(), Done: x.Done,
			GPUH: x.InstanceTime.Hours(), UsefulH: x.Activities[sim.Useful].Hours(), LostH: x.Activities[sim.Redone].Hours(),
			Suspensions: x.Suspensions, Preemptions: x.Preemptions, Moves: x.Moves, CostUSD: x.USD}
		if x.Started >= 0 {
			start := submit + x.Started.Seconds()
			r.StartS = &start
		}
		if x.Finished {
			finish, jct := submit+x.Elapsed.Seconds(), x.Elapsed.Seconds()
			r.FinishS, r.JCTS = &finish, &jct
		}
		if of.Deadline > 0 {
			deadline, met := of.Deadline.Seconds(), x.Finished && x.Elapsed <= of.Deadline
			r.DeadlineS, r.DeadlineMet = &deadline, &met
		}
		rows[j] = r
	}
	addFairness(rows, t.End.Sub(c.Start).Seconds(), c)
	return rows
}

// summaryOfJobs fills the row of a run of many jobs that is over.
func (s *Study) summaryOfJobs(t *sim.Totals, c *sim.Config, l label, p int, work *workload.Jobs, rows []results.Job) results.Summary {
	r := s.totalsOf(t, c, l)
	r.ObjectiveS = s.Spec.HorizonS
	r.Jobs, r.JobsDropped = int64(len(rows)), int64(work.Dropped)
	var jct, queue, fairness []float64
	last, work0, done := 0.0, 0.0, 0.0
	for j := range rows {
		x := &rows[j]
		queue = append(queue, x.QueueS)
		r.Suspensions, r.JobsStopped, r.JobMoves = r.Suspensions+x.Suspensions, r.JobsStopped+x.Preemptions, r.JobMoves+x.Moves
		if x.JCTS != nil {
			r.JobsDone++
			jct, last = append(jct, *x.JCTS), max(last, *x.FinishS)
		}
		if x.DeadlineS != nil {
			r.Deadlines++
			if *x.DeadlineMet {
				r.Punctual++
			}
		}
		if x.FTF != nil {
			fairness = append(fairness, *x.FTF)
		}
		work0, done = work0+1, done+x.Done
	}
	r.Progress = done / work0
	if r.Finished = r.JobsDone == r.Jobs; r.Finished {
		r.FinishS, r.Met = &last, last <= r.ObjectiveS
		if late := last - r.ObjectiveS; !r.Met {
			r.MissedByS = &late
		}
	}
	r.JCTMeanS, r.QueueMeanS, r.FTFMean = meanOf(jct), meanOf(queue), meanOf(fairness)
	r.JCTP50S, r.JCTP90S, r.JCTP95S, r.JCTP99S, r.JCTMaxS = percentile(jct, 50), percentile(jct, 90), percentile(jct, 95), percentile(jct, 99), percentile(jct, 100)
	r.QueueP95S, r.FTFMax = percentile(queue, 95), percentile(fairness, 100)
	r.Utilisation = utilisation(t, c)
	r.Warnings = strings.TrimPrefix(strings.Join(s.warningsOfJobs(&r, p, c.Start, t.End), "; "), "; ")
	return r
}

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

// utilisation returns the share of the servers' GPU time, until the last job was done, in which jobs held
// them; nil where there are none, or GPUs are rented beside them whose time cannot be told.
func utilisation(t *sim.Totals, c *sim.Config) *float64 {
	gpus, held := 0, time.Duration(0)
	for j := range t.Jobs {
		held += t.Jobs[j].InstanceTime
	}
	hours := held.Hours()
	for p := range c.Market.Pools() {
		x := c.Market.Pool(p)
		_, limited := c.Market.Capacity(p, c.Start)
		switch {
		case !x.OnDemand && !limited:
			gpus += x.Quota
		case x.OnDemand && x.OnDemandPrice > 0:
			hours -= t.Pools[p].USD / x.OnDemandPrice
		case t.Pools[p].Grants > 0:
			return nil
		}
	}
	span := t.End.Sub(c.Start).Hours()
	if gpus == 0 || span <= 0 {
		return nil
	}
	share := min(max(hours/(float64(gpus)*span), 0), 1)
	return &share
}

// addFairness adds the finish-time fairness of the jobs that were done.
func addFairness(rows []results.Job, end float64, c *sim.Config) {
	groups := serversOf(c)
	if len(groups) == 0 {
		return
	}
	among := newCrowd(rows, end)
	layout := sim.Layout{Pools: make([]int32, 1), Workers: make([]int32, 1)}
	for j := range rows {
		r := &rows[j]
		if r.FinishS == nil || *r.JCTS == 0 {
			continue
		}
		model := c.Jobs[j].Model.(sim.GangModel)
		jobs, whole, speed := among.mean(r.SubmitS, *r.FinishS), 0.0, 0.0
		for _, g := range groups {
			layout.Pools[0], layout.Workers[0] = g.first, int32(model.Gang())
			part := g.gpus / (jobs * float64(model.Gang()))
			whole += part
			speed += part * model.Rate(&layout).Progress
		}
		speed /= max(whole, 1)
		if ftf := *r.JCTS * speed / model.Work(); speed > 0 && !math.IsInf(ftf, 0) {
			r.FTF = &ftf
		}
	}
}

// serverGroup is the servers of one model of GPU.
type serverGroup struct {
	model string
	first int32 // a pool of it
	gpus  float64
}

// serversOf returns the servers that are always there, by model.
func serversOf(c *sim.Config) (groups []serverGroup) {
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

// crowd is how many jobs there are over time.
type crowd struct{ at, sum []float64 } // sum: job-seconds until then

func newCrowd(rows []results.Job, end float64) *crowd {
	type change struct{ at, n float64 }
	var changes []change
	for i := range rows {
		until := end
		if rows[i].FinishS != nil {
			until = *rows[i].FinishS
		}
		changes = append(changes, change{rows[i].SubmitS, 1}, change{until, -1})
	}
	slices.SortFunc(changes, func(a, b change) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	out, n := &crowd{}, 0.0
	for i, x := range changes {
		sum := 0.0
		if i > 0 {
			sum = out.sum[i-1] + n*(x.at-out.at[i-1])
		}
		n += x.n
		out.at, out.sum = append(out.at, x.at), append(out.sum, sum)
	}
	return out
}

// mean returns the mean number of jobs from one instant to another, at both of which it changes.
func (c *crowd) mean(from, until float64) float64 {
	a, _ := slices.BinarySearch(c.at, from)
	b, _ := slices.BinarySearch(c.at, until)
	return (c.sum[b] - c.sum[a]) / (until - from)
}
