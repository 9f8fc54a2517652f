package schedulers_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/papers/hadar/auction"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

func everyScheduler() []sim.Policy {
	services := []float64{100, 400, 1000, 5000, 20000, 90000}
	return []sim.Policy{
		&schedulers.FIFO{}, &schedulers.FIFO{Backfill: true}, &schedulers.FIFO{Placement: schedulers.Consolidated},
		&schedulers.Shortest{}, &schedulers.Shortest{Key: schedulers.RemainingService}, &schedulers.Shortest{Key: schedulers.Size},
		&schedulers.LAS{Limits: schedulers.DefaultLimits}, &schedulers.LAS{Limits: schedulers.DefaultLimits, TimeOnly: true},
		&schedulers.LAS{Limits: schedulers.DefaultLimits, Promote: 2},
		schedulers.NewKueue(), schedulers.NewDally(), &schedulers.Dally{Lease: 2 * time.Minute, Rack: 1, Network: 3, History: 24},
		&auction.Hadar{}, &auction.Hadar{Restart: 10 * time.Second, Affordable: true},
		&schedulers.LAS{Limits: schedulers.DefaultLimits, Gittins: schedulers.NewGittins(services, 3250)},
	}
}

// busy returns jobs that keep two switches of three servers of 4 GPUs busy, from a seed.
func busy(t *testing.T, seed uint64, p sim.Policy) sim.Config {
	draws := sim.Rand{Seed: seed}.Stream(sim.PurposeUser, 0)
	jobs := make([]sim.Job, 80)
	at := 0.0
	for j := range jobs {
		n := uint64(4 * j)
		at += -600 * math.Log(1-draws.Uniform(n))
		jobs[j] = sim.Job{Submit: sim.At(at).Sub(0), Objective: sim.Objective{Within: time.Hour}, Model: &throughput.Gang{
			GPUs: 1 << int(4*draws.Uniform(n+1)), Total: math.Exp(5 + 5*draws.Uniform(n+2)), Restart: 5 * time.Second,
		}}
	}
	where := "n2x3g4"
	m, err := sim.NewMarket(sim.At(1e7), servers(t, where))
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Market: m, Jobs: jobs, Policy: p}
}

// held checks every plan: gangs are whole, and no server has more than its GPUs.
type held struct{ t *testing.T }

func (held) Span(*sim.Span) {}

func (h held) Decision(v sim.View, plan *sim.Plan, _ bool) {
	free := make([]int, v.Pools())
	for _, j := range v.ActiveJobs() {
		n := plan.Jobs[j].Total()
		if g := v.Job(j).Model().(sim.GangModel).Gang(); n != 0 && n != g {
			h.t.Fatalf("job %d, a gang of %d, has %d GPUs", j, g, n)
		}
		add := func(p, k int) {
			if free[p] += k; free[p] > v.Pool(p).Quota {
				h.t.Fatalf("server %d has %d GPUs in use of %d", p, free[p], v.Pool(p).Quota)
			}
		}
		for p, k := range plan.Jobs[j].Hold {
			add(p, k)
		}
		for _, x := range plan.Parts(j) {
			add(int(x.Pool), int(x.N))
		}
	}
}

// Whatever the scheduler: gangs are whole, capacity is never exceeded, every job ends, the
// instances' time adds up, and a policy that was used before decides as a new one does.
func TestSchedulers(t *testing.T) {
	check := near.Count(t)
	for _, p := range everyScheduler() {
		for seed := range uint64(3) {
			c := busy(t, seed, p)
			c.Recorder = held{t}
			w, err := sim.New(c)
			if err != nil {
				t.Fatal(err)
			}
			first := totals(w.Run())
			for j, x := range first.Jobs {
				g := c.Jobs[j].Model.(*throughput.Gang)
				if useful := x.Activities[sim.Useful].Seconds(); !x.Finished || check.Off(useful, g.Total*float64(g.GPUs), 1e-4*float64(g.GPUs)) {
					t.Errorf("%s: job %d of %v GPU-seconds ran %v", p.Name(), j, g.Total*float64(g.GPUs), useful)
				}
			}
			c.Recorder = nil
			if err := w.Reset(c); err != nil {
				t.Fatal(err)
			}
			if again := totals(w.Run()); !reflect.DeepEqual(first, again) {
				t.Errorf("%s, seed %d: a second run differs", p.Name(), seed)
			}
		}
	}
}

// A fork goes on as its parent does, and leaves it as it was.
func TestForks(t *testing.T) {
	for _, p := range everyScheduler() {
		w, err := sim.New(busy(t, 1, p))
		if err != nil {
			t.Fatal(err)
		}
		w.RunUntil(sim.At(20_000))
		var fork sim.World
		w.Fork(&fork, p)
		a, b := totals(fork.Run()), totals(w.Run())
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the fork ends otherwise", p.Name())
		}
	}
}

func totals(t *sim.Totals) sim.Totals {
	c := *t
	c.Jobs, c.Pools = append([]sim.JobTotals(nil), t.Jobs...), append([]sim.PoolTotals(nil), t.Pools...)
	return c
}

// Kept in order, the queues of LAS serve the same jobs at the same instants as where every job is looked at, at every
// decision.
func TestQueuesInOrder(t *testing.T) {
	for seed := range uint64(2) {
		for _, las := range []schedulers.LAS{{}, {TimeOnly: true}, {Promote: 2}, {Promote: 0.5}} {
			las.Limits = schedulers.Limits{First: 3000 / float64(seed+1), Second: 9000}
			quick := run(t, whole(busy(t, seed, &las)))
			slow := run(t, whole(busy(t, seed, &everyJob{las})))
			for j := range quick.Jobs {
				a, b := quick.Jobs[j], slow.Jobs[j]
				if a.Elapsed != b.Elapsed || a.Waited != b.Waited || a.Suspensions != b.Suspensions {
					t.Fatalf("%+v, seed %d, job %d: %+v, by a look at every job %+v", las, seed, j, a, b)
				}
			}
		}
	}
}

// everyJob is LAS that counts what every job did at every decision, and is asked each second.
type everyJob struct{ schedulers.LAS }

type everyJobState struct {
	at     sim.Time
	jobs   map[int]*attained
	queues [3][]int
}

type attained struct {
	queue            int
	run              bool
	executed, waited float64
}

func (*everyJob) NewState(_, _ any) any { return &everyJobState{jobs: map[int]*attained{}} }

func (*everyJob) Traits() sim.Traits { return sim.Traits{} }

func (e *everyJob) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*everyJobState)
	since, limits := v.Now().Sub(s.at).Seconds(), []float64{e.First, e.Second, math.Inf(1)}
	s.at = v.Now()
	for q := range s.queues {
		s.queues[q] = slices.DeleteFunc(s.queues[q], func(j int) bool { return !v.Job(j).Active() })
	}
	for _, j := range v.ActiveJobs() {
		if s.jobs[j] == nil {
			s.jobs[j] = &attained{}
			s.queues[0] = append(s.queues[0], j)
		}
	}
	for _, j := range v.ActiveJobs() {
		x, to, gpus := s.jobs[j], s.jobs[j].queue, float64(gangOf(v, j))
		if e.TimeOnly {
			gpus = 1
		}
		if x.run {
			x.executed += since
			for x.executed*gpus >= limits[to] {
				to++
			}
		} else if x.executed > 0 {
			x.waited += since
			if e.Promote > 0 && to > 0 && x.waited >= math.Trunc(x.executed*e.Promote) {
				x.executed, x.waited, to = 0, 0, 0
			}
		}
		if to != x.queue {
			s.queues[x.queue] = slices.DeleteFunc(s.queues[x.queue], func(k int) bool { return k == j })
			s.queues[to] = append(s.queues[to], j)
			x.queue = to
		}
	}
	e.serve(v, plan, s)
	plan.WakeIn(time.Second)
}

// serve gives GPUs to jobs in the order of the queues; those that run come first when they are asked next.
func (e *everyJob) serve(v sim.View, plan *sim.Plan, s *everyJobState) {
	left, free := 0, make([]int, v.Pools())
	for p := range free {
		free[p] = v.Pool(p).Quota
		left += free[p]
	}
	for q := range s.queues {
		for _, j := range s.queues[q] {
			if n := gangOf(v, j); n <= left {
				left -= n
				s.jobs[j].run = true
			} else {
				s.jobs[j].run = false
				clear(plan.Jobs[j].Hold)
			}
			for p, n := range plan.Jobs[j].Hold {
				free[p] -= n
			}
		}
		slices.SortStableFunc(s.queues[q], func(a, b int) int {
			return cmp.Compare(b2i(s.jobs[b].run), b2i(s.jobs[a].run))
		})
	}
	for _, j := range slices.Concat(s.queues[:]...) {
		need := gangOf(v, j) - plan.Held(j)
		for p := 0; s.jobs[j].run && need > 0; p++ {
			n := min(need, free[p])
			plan.Jobs[j].Hold[p] += n
			free[p], need = free[p]-n, need-n
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func gangOf(v sim.View, j int) int { return v.Job(j).Model().(sim.GangModel).Gang() }

// whole makes all times whole seconds, in which both are exact.
func whole(c sim.Config) sim.Config {
	for j := range c.Jobs {
		c.Jobs[j].Submit = c.Jobs[j].Submit.Truncate(time.Second)
		g := c.Jobs[j].Model.(*throughput.Gang)
		g.Total = math.Trunc(g.Total)
	}
	return c
}

func run(t *testing.T, c sim.Config) sim.Totals {
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return totals(w.Run())
}
