package sim_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// Gang and what follows make it a GangModel, for a Scheduler.
func (g gang) Gang() int     { return g.gpus }
func (gang) Work() float64   { return 1 }
func (gang) Weight() float64 { return 1 }

// queued is firstCome as a Scheduler.
type queued struct{}

func (queued) Name() string { return "queued" }

// Traits says what the policy is.
func (queued) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts}
}

// waiting is the jobs that wait, in order.
type waiting struct{ jobs []int }

func (queued) NewState(from, _ any) any {
	if was, ok := from.(*waiting); ok {
		return &waiting{append([]int(nil), was.jobs...)}
	}
	return &waiting{}
}

func (q queued) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*waiting)
	for _, x := range v.JobChanges() {
		if x.What == sim.JobSubmitted {
			s.jobs = append(s.jobs, x.Job)
		}
	}
	var free [3]int
	for p := range free {
		free[p] = v.Free(p)
	}
	at := 0
	for ; at < len(s.jobs); at++ {
		j := s.jobs[at]
		need := v.Job(j).Model().(sim.GangModel).Gang()
		p := firstFit(free[:], need)
		if p < 0 {
			break
		}
		plan.Place(j, p, need)
		free[p] -= need
	}
	s.jobs = s.jobs[:copy(s.jobs, s.jobs[at:])]
}

// sourced is a list of jobs as a source.
type sourced struct {
	jobs []sim.Job
	next int
	bad  int // the job that cannot be read, -1 for none
}

func (s sourced) Open() sim.Arrivals { return &s }

func (s *sourced) Fork() sim.Arrivals {
	c := *s
	return &c
}

func (s *sourced) Next(job *sim.Job) (bool, error) {
	if s.next == s.bad {
		return false, fmt.Errorf("the file is cut")
	}
	if s.next == len(s.jobs) {
		return false, nil
	}
	*job = s.jobs[s.next]
	s.next++
	return true, nil
}

// ends keeps what a run tells of its jobs.
type ends struct {
	jobs     []sim.JobTotals
	names    []string
	reported map[sim.JobEvent]int
}

func (e *ends) Job(_ sim.Time, _ int, what sim.JobEvent) { e.reported[what]++ }

func (e *ends) Ended(id int, job *sim.Job, t *sim.JobTotals) {
	for len(e.jobs) <= id {
		e.jobs, e.names = append(e.jobs, sim.JobTotals{}), append(e.names, "")
	}
	e.jobs[id], e.names[id] = *t, job.Name
}

// The same queue, by a policy with a place for every pool of every job, by a Scheduler, and by a Scheduler
// whose jobs come from a source: the same results of every job.
func TestScheduler(t *testing.T) {
	check := near.Count(t)
	c := clusterConfig(t, 2000)
	for j := range c.Jobs {
		c.Jobs[j].Name = fmt.Sprint("job-", j)
	}
	dense := run(t, c)
	c.Policy = queued{}
	sparse := run(t, c)
	if !reflect.DeepEqual(dense.Jobs, sparse.Jobs) {
		for j := range dense.Jobs {
			if dense.Jobs[j] != sparse.Jobs[j] {
				t.Fatalf("job %d: %+v, of a Scheduler %+v", j, dense.Jobs[j], sparse.Jobs[j])
			}
		}
	}
	if check.Off(dense.Bill.Total(), sparse.Bill.Total(), 1e-9*dense.Bill.Total()) || dense.Grants != sparse.Grants || dense.Events != sparse.Events {
		t.Errorf("%+v, of a Scheduler %+v", dense, sparse)
	}
	reported := &ends{reported: map[sim.JobEvent]int{}}
	c.Source, c.Jobs, c.JobRecorder = sourced{jobs: c.Jobs, bad: -1}, nil, reported
	streamed := run(t, c)
	if !reflect.DeepEqual(reported.jobs, sparse.Jobs) || reported.names[1999] != "job-1999" || streamed.Bill != sparse.Bill || streamed.End != sparse.End {
		t.Errorf("jobs from a source end otherwise: %v, %v", streamed.Bill, sparse.Bill)
	}
	if want := (map[sim.JobEvent]int{sim.JobSubmitted: 2000, sim.JobStarted: 2000, sim.JobFinished: 2000}); !reflect.DeepEqual(reported.reported, want) {
		t.Errorf("told %v, expected %v", reported.reported, want)
	}
}

// run returns a copy of the totals of a run.
func run(t *testing.T, c sim.Config) sim.Totals {
	t.Helper()
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	totals := *w.Run()
	if w.Err() != nil {
		t.Fatal(w.Err())
	}
	return totals
}

// Requests wait in the queues of pools also where jobs come from a source: every job ends as it does from a list, and
// later than where nothing waits. A fork goes on as its parent does.
func TestSourceOfQueuedPools(t *testing.T) {
	c := clusterConfig(t, 500)
	traces := make([]sim.Trace, c.Market.Pools())
	for p := range traces {
		pool := *c.Market.Pool(p)
		pool.Wait, pool.WaitSigma = time.Duration(p)*time.Hour, 0.5 // the first has none
		traces[p] = sim.Trace{Pool: pool, Prices: []sim.Price{{USD: 1}}}
	}
	m, err := sim.NewMarket(c.Market.End(), traces)
	if err != nil {
		t.Fatal(err)
	}
	atOnce := run(t, c)
	c.Policy, c.Market = queued{}, m
	listed := run(t, c)
	reported := &ends{reported: map[sim.JobEvent]int{}}
	c.Source, c.Jobs, c.JobRecorder = sourced{jobs: c.Jobs, bad: -1}, nil, reported
	streamed := run(t, c)
	if !reflect.DeepEqual(reported.jobs, listed.Jobs) || streamed.Bill != listed.Bill || streamed.Grants != listed.Grants {
		t.Errorf("jobs from a source end otherwise: %v, %d grants; from a list %v, %d grants", streamed.Bill, streamed.Grants, listed.Bill, listed.Grants)
	}
	if w, x := waited(listed.Jobs), waited(atOnce.Jobs); w <= x {
		t.Errorf("jobs waited for %v in queues, %v without", w, x)
	}
	c.JobRecorder = nil
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(sim.Time(0).Add(60 * time.Hour))
	var fork sim.World
	w.Fork(&fork, c.Policy)
	if got := *fork.Run(); !reflect.DeepEqual(got, streamed) {
		t.Errorf("a fork ends with %+v, expected %+v", got, streamed)
	}
}

// waited is how long jobs waited, added up.
func waited(jobs []sim.JobTotals) (sum time.Duration) {
	for j := range jobs {
		sum += jobs[j].Waited
	}
	return sum
}

// A fork of a run with a source goes on as its parent does, and leaves it as it was.
func TestSourceForks(t *testing.T) {
	c := clusterConfig(t, 500)
	c.Policy, c.Source, c.Jobs = queued{}, sourced{jobs: c.Jobs, bad: -1}, nil
	want := run(t, c)
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var fork sim.World
	for at := 20 * time.Hour; w.RunUntil(sim.Time(0).Add(at)); at += 40 * time.Hour {
		w.Fork(&fork, c.Policy)
		if got := *fork.Run(); !reflect.DeepEqual(got, want) {
			t.Fatalf("the fork after %v ends with %+v, expected %+v", at, got, want)
		}
	}
	if got := *w.Run(); !reflect.DeepEqual(got, want) {
		t.Errorf("the parent ends with %+v, expected %+v", got, want)
	}
}

// What is wrong with a source ends the run with an error that names the job, and what does not go with a
// Scheduler is refused.
func TestSourceErrors(t *testing.T) {
	c := clusterConfig(t, 10)
	jobs := c.Jobs
	large := append([]sim.Job(nil), jobs...)
	large[4].Model = gang{1000}
	back := append([]sim.Job(nil), jobs...)
	back[5].Submit = 0
	for name, x := range map[string]struct {
		source sim.Source
		says   string
	}{
		"cut":      {sourced{jobs: jobs, bad: 7}, "job 7: the file is cut"},
		"unsorted": {sourced{jobs: back, bad: -1}, "job 5 "},
		"large":    {sourced{jobs: large, bad: -1}, "job 4 (): a gang of 1000, expected 1 to 108"},
	} {
		w, err := sim.New(sim.Config{Market: c.Market, Policy: queued{}, Source: x.source})
		if err != nil {
			t.Fatal(err)
		}
		if w.Run(); w.Err() == nil || !strings.Contains(w.Err().Error(), x.says) {
			t.Errorf("%s: %v, expected %q", name, w.Err(), x.says)
		}
	}
	for says, bad := range map[string]sim.Config{
		"plans by JobPlan.Hold": {Market: c.Market, Policy: firstCome{}, Source: sourced{jobs: jobs, bad: -1}},
		"a list of 10":          {Market: c.Market, Policy: queued{}, Jobs: jobs, Source: sourced{jobs: jobs, bad: -1}},
		"gang of 1000":          {Market: c.Market, Policy: queued{}, Jobs: large},
		"a Recorder":            {Market: c.Market, Policy: queued{}, Source: sourced{jobs: jobs, bad: -1}, Recorder: deaf{}},
		"is no gang":            {Market: c.Market, Policy: queued{}, Jobs: []sim.Job{{Model: alone{}, Objective: sim.Objective{Within: 1}}}},
	} {
		if _, err := sim.New(bad); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, expected %q", err, says)
		}
	}
}

// deaf is a Recorder that keeps nothing.
type deaf struct{}

func (deaf) Span(*sim.Span)                     {}
func (deaf) Decision(sim.View, *sim.Plan, bool) {}

// alone is a model that is no gang.
type alone struct{ gang gang }

func (a alone) Rate(l *sim.Layout) sim.Rate                       { return a.gang.Rate(l) }
func (alone) Begin(*sim.Layout) float64                           { return 0 }
func (alone) Goal(float64) float64                                { return 1 }
func (alone) Loss(float64) float64                                { return 1 }
func (alone) Change(*sim.Change) sim.Pause                        { return sim.Pause{} }
func (alone) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

// With a source whose jobs are made in place, nothing is allocated once there is room for those that are
// there at one time.
func TestSourceAllocations(t *testing.T) {
	c := clusterConfig(t, 3000)
	c.Policy, c.Source, c.Jobs = queued{}, sourced{jobs: c.Jobs, bad: -1}, nil
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(sim.Time(0).Add(700 * time.Hour))
	before := w.Totals().Events
	n := 1.0
	for k := 0; k < 3 && n > 0; k++ { // what else the process does is counted, too, now and then
		n = testing.AllocsPerRun(1, func() { w.RunUntil(w.Now().Add(100 * time.Hour)) })
	}
	if events := w.Totals().Events - before; n != 0 || events < 500 {
		t.Errorf("%v allocations in %d events", n, events)
	}
}
