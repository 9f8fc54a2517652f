package advise

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// manyJobs is the jobs of a spec that are there now.
type manyJobs struct {
	adviser *adviser
	list    []workload.Job
	sims    []sim.Job // list, as the world has it
	over    int       // jobs that were submitted by now and are not there any more
}

func (m *manyJobs) check() error {
	state := m.adviser.state
	switch {
	case state.Done != nil || state.Loss != nil:
		return state.errorAt("$", "done or loss of one job, but the spec is of many: expected done of each of jobs")
	case len(state.Requests) > 0:
		return state.errorAt("$.requests",
			"requests of one job, but the spec is of many: expected none, schedulers make theirs anew")
	case len(state.Instances) > 0 && !state.listsJobs():
		return state.errorAt("$.instances", "instances without jobs: expected jobs, with the ids of their instances")
	}
	return nil
}

// open reads the jobs that were submitted by now, and leaves those that the state lists.
func (m *manyJobs) open(in *reading) error {
	a := m.adviser
	load, err := workload.Open(a.spec)
	if err != nil {
		return err
	}
	a.warnings = append(a.warnings, load.Warnings...)
	all, err := load.For(a.spec.Seed, a.market, 0)
	if err != nil {
		return a.spec.ErrorAt("$.jobs", "%v", err)
	}
	list, jobs, err := all.Hold()
	if err != nil {
		return a.spec.ErrorAt("$.jobs", "%v", err)
	}
	submitted := slices.IndexFunc(list, func(j workload.Job) bool { return in.started.Add(j.Submit) > in.now })
	if submitted < 0 {
		submitted = len(list)
	}
	m.list = list[:submitted]
	m.sims = jobs[:submitted]
	if err := m.checkDurations(); err != nil {
		return err
	}
	if a.state.listsJobs() {
		return m.leaveListed(list)
	}
	if a.recorded() {
		return a.state.errorAt("$.jobs",
			"missing: expected the jobs that are there, with what they hold on the market of traces")
	}
	return nil
}

// leaveListed leaves the jobs that the state lists, of all that the spec has.
func (m *manyJobs) leaveListed(all []workload.Job) error {
	listed, err := m.numberListed(all)
	if err != nil {
		return err
	}
	var list []workload.Job
	var sims []sim.Job
	for j := range m.list {
		if _, is := listed[j]; is {
			list = append(list, m.list[j])
			sims = append(sims, m.sims[j])
		}
	}
	if len(list) == 0 {
		return m.adviser.state.errorAt("$.jobs", "no job is there: expected at least one")
	}
	m.over = len(m.list) - len(list)
	m.list = list
	m.sims = sims
	return nil
}

// numberListed returns where in the state the jobs are that it lists, by their number.
func (m *manyJobs) numberListed(all []workload.Job) (map[int]int, error) {
	state := m.adviser.state
	numbers := map[string]int{}
	names := make([]string, len(all))
	for j := range all {
		numbers[all[j].ID] = j
		names[j] = all[j].ID
	}
	listed := map[int]int{}
	for i := range state.Jobs {
		id := state.Jobs[i].ID
		path := fmt.Sprintf("$.jobs[%d].id", i)
		j, known := numbers[id]
		first, twice := listed[j]
		switch {
		case !known:
			return nil, state.errorAt(path, "no job %q in the spec's list of %d jobs%s",
				id, len(all), registry.DidYouMean("; ", id, names))
		case twice:
			return nil, state.errorAt(path, "%q is jobs[%d], too: expected each job once", id, first)
		case j >= len(m.list):
			return nil, state.errorAt(path,
				"%q is submitted %v after started, which is after now: expected a job that is there", id, all[j].Submit)
		}
		listed[j] = i
	}
	return listed, nil
}

// numberOf returns the number of a job that is there.
func (m *manyJobs) numberOf(id string) int {
	return slices.IndexFunc(m.list, func(j workload.Job) bool { return j.ID == id })
}

func (m *manyJobs) jobs(int) []sim.Job {
	if m.adviser.state.DurationsSigma > 0 {
		return m.ownDurations()
	}
	return m.sims
}

func (m *manyJobs) follow(w *sim.World, c sim.Config, policy sim.Policy) error {
	return m.adviser.record.followJobs(w, c, policy)
}

func (m *manyJobs) report(w *sim.World) (modelled, done float64, err error) {
	v := w.View()
	for _, j := range v.ActiveJobs() {
		modelled += v.Job(j).Done()
	}
	state := m.adviser.state
	for i := range state.Jobs {
		said := &state.Jobs[i]
		j := m.numberOf(said.ID)
		if said.Done != nil {
			w.Report(j, *said.Done)
		}
		if said.RanS == nil {
			continue
		}
		ran := sim.At(*said.RanS).Sub(0)
		longest := w.Now().Sub(v.Job(j).Submitted())
		if ran > longest {
			return 0, 0, state.errorAt(fmt.Sprintf("$.jobs[%d].ran_s", i),
				"%v, but %s was submitted %v ago", *said.RanS, said.ID, longest)
		}
		w.ReportRan(j, ran)
	}
	for _, j := range v.ActiveJobs() {
		done += v.Job(j).Done()
	}
	n := float64(len(v.ActiveJobs()))
	return modelled / n, done / n, nil
}

func (m *manyJobs) recorder(into *decision) decisionRecorder {
	return &jobsRecorder{record: m.adviser.record, of: m, into: into}
}

func (m *manyJobs) heldBySaid() bool { return m.adviser.record.heldBy != nil }

// limit is when the work of the jobs is done that is left, one after the other, each where it is fastest, and the last
// deadline is over, with a day more. Durations that are drawn are longer than three standard deviations once in 700.
func (m *manyJobs) limit(end sim.Time) sim.Time {
	market, now := m.adviser.market, m.adviser.record.now
	var span time.Duration
	layout := sim.Layout{Workers: make([]int32, market.Pools())}
	for j := range m.sims {
		model := m.sims[j].Model.(sim.GangModel)
		fastest := 0.0
		for p := range layout.Workers {
			clear(layout.Workers)
			layout.Workers[p] = int32(model.Gang())
			fastest = max(fastest, model.Rate(&layout).Progress)
		}
		if fastest > 0 {
			longest := model.Work() * math.Exp(3*m.adviser.state.DurationsSigma)
			span += sim.At(min(longest/fastest, maxSeconds)).Sub(0)
		}
		if hasDeadline(&m.sims[j]) {
			span = max(span, m.deadline(j).Sub(now))
		}
	}
	return min(end, now.Add(span+24*time.Hour))
}

func (m *manyJobs) warnings() []string {
	if m.over == 0 {
		return nil
	}
	return []string{fmt.Sprintf("jobs that were submitted by now and are not in the state, taken to be over: %d",
		m.over)}
}

func hasDeadline(job *sim.Job) bool { return job.Objective.Within != sim.NoDeadline }

// deadline is that of a job which has one.
func (m *manyJobs) deadline(j int) sim.Time {
	return m.adviser.record.started.Add(m.sims[j].Submit).Add(m.sims[j].Objective.Within)
}

func (m *manyJobs) lastDeadline() (last sim.Time) {
	for j := range m.sims {
		if hasDeadline(&m.sims[j]) {
			last = max(last, m.deadline(j))
		}
	}
	return last
}

func (m *manyJobs) nextDeadlineS() float64 {
	now := m.adviser.record.now.Sub(m.adviser.record.started).Seconds()
	next := math.Inf(1)
	for j := range m.sims {
		at := (m.sims[j].Submit + m.sims[j].Objective.Within).Seconds()
		if hasDeadline(&m.sims[j]) && at > now {
			next = min(next, at)
		}
	}
	if math.IsInf(next, 1) {
		return 0
	}
	return next
}

func (m *manyJobs) outcome(t *sim.Totals, usd float64) outcome {
	out := outcome{usd: usd, met: true}
	for j := range t.Jobs {
		finish := math.Inf(1)
		if t.Jobs[j].Finished {
			finish = (m.sims[j].Submit + t.Jobs[j].Elapsed).Seconds()
		}
		out.jobs = append(out.jobs, finish)
		start := math.Inf(1)
		if t.Jobs[j].Started >= 0 {
			start = (m.sims[j].Submit + t.Jobs[j].Started).Seconds()
		}
		out.starts = append(out.starts, start)
		out.finish = max(out.finish, finish)
		out.met = out.met && inTime(&m.sims[j], finish)
	}
	return out
}

// inTime reports whether a job that is done so many seconds after the start meets its deadline; it does if it has none.
func inTime(job *sim.Job, finish float64) bool {
	return !hasDeadline(job) || finish <= (job.Submit+job.Objective.Within).Seconds()*(1+1e-12)
}

func (m *manyJobs) meanCompletionS(all []outcome) *float64 {
	sum := 0.0
	for k := range all {
		for j, finish := range all[k].jobs {
			sum += finish - m.sims[j].Submit.Seconds()
		}
	}
	return stats.FiniteOrNil(sum / float64(len(all)*len(m.sims)))
}

func (m *manyJobs) complete(out *Advice, first *trial) {
	out.Jobs = append(out.Jobs, first.decision.jobs...)
	out.AtRisk = false
	for i := range out.Jobs {
		m.expect(&out.Jobs[i], first.outcomes)
		out.Jobs[i].AtRisk = out.Jobs[i].Met < out.Share
		out.AtRisk = out.AtRisk || out.Jobs[i].AtRisk
	}
}

// expect fills in what is expected of a job.
func (m *manyJobs) expect(change *JobChange, all []outcome) {
	j := m.numberOf(change.Job)
	job := &m.sims[j]
	finishes := make([]float64, len(all))
	starts := make([]float64, len(all))
	met := 0
	for k := range all {
		finishes[k] = all[k].jobs[j]
		starts[k] = all[k].starts[j]
		if inTime(job, finishes[k]) {
			met++
		}
	}
	if hasDeadline(job) {
		change.DeadlineS = new((job.Submit + job.Objective.Within).Seconds())
	}
	change.StartS = quantilesOf(starts)
	change.FinishS = quantilesOf(finishes)
	change.Met = float64(met) / float64(len(all))
}
