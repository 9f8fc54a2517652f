package sim_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// asked decides as a policy does and, at every n-th decision, looks first.
type asked struct {
	sim.Policy
	n, every int
	look     func(sim.View)
}

func (a *asked) Decide(v sim.View, plan *sim.Plan) {
	if a.n++; a.n%a.every == 0 {
		a.look(v)
	}
	a.Policy.Decide(v, plan)
}

// swing holds now two, now four of every pool, as a function of the time.
type swing struct{}

func (swing) Name() string { return "swing" }

func (swing) Decide(v sim.View, plan *sim.Plan) {
	n := 2 + 2*int(v.Now().Seconds()/1500)%4
	for j := range v.Jobs() {
		for p := range v.Pools() {
			plan.Jobs[j].Hold[p] = 0
			if v.Job(j).Active() {
				plan.Jobs[j].Hold[p] = n / v.Jobs()
			}
		}
		plan.Jobs[j].Save = v.Job(j).Active() && v.Now().Sub(v.Job(j).LastSave()) > 10*time.Minute
	}
	plan.WakeIn(5 * time.Minute)
}

func imagining(t *testing.T, seed uint64, every int, look func(sim.View)) *sim.World {
	t.Helper()
	w, err := sim.New(sim.Config{Market: simtest.Market(seed, 6*time.Hour, sim.Never), Jobs: simtest.Jobs(1),
		Policy: &asked{Policy: swing{}, every: every, look: look}, Seed: seed, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// copied returns totals that stay.
func copied(x *sim.Totals) sim.Totals {
	c := *x
	c.Jobs, c.Pools = append([]sim.JobTotals(nil), x.Jobs...), append([]sim.PoolTotals(nil), x.Pools...)
	return c
}

// A fork that imagines what will come, with the draws and the hidden decisions of the
// world, is the run.
func TestImagineTheTruth(t *testing.T) {
	for seed := range uint64(6) {
		var fork sim.World
		var dreams []sim.Totals
		w := imagining(t, seed, 5, func(v sim.View) {
			v.ImagineTruth(&fork, swing{})
			dreams = append(dreams, copied(fork.Run()))
		})
		run := copied(w.Run())
		if len(dreams) < 5 {
			t.Fatalf("%d dreams", len(dreams))
		}
		for i := range dreams {
			if !reflect.DeepEqual(dreams[i], run) {
				t.Fatalf("seed %d, dream %d:\n%+v, the run is\n%+v", seed, i, dreams[i], run)
			}
		}
	}
}

// outlook is that of capacity which comes and goes in every pool on spot.
func outlook(v sim.View, into []sim.Outlook) []sim.Outlook {
	into = into[:0]
	for p := range v.Pools() {
		var o sim.Outlook
		if !v.Pool(p).OnDemand {
			o.Capacity = []sim.Capacity{{N: 6}, {At: v.Now().After(1800), N: 1}, {At: v.Now().After(5400), N: 3}}
		}
		into = append(into, o)
	}
	return into
}

// What is imagined does not depend on the world's draws that nobody has seen yet, nor on
// the future (Suite checks that).
func TestImagineUnderOtherDraws(t *testing.T) {
	starting := 0
	for seed := range uint64(6) {
		var a, b sim.World
		var future sim.Market
		w := imagining(t, seed, 4, func(v sim.View) {
			for p := range v.Pools() {
				starting += v.Held(0, p).Starting
			}
			v.Future(&future, v.Now().After(4*3600), outlook(v, nil))
			v.Imagine(&a, &future, 9, swing{})
			first := copied(a.Run())
			v.Redraw(seed + 100)
			v.Imagine(&b, &future, 9, swing{})
			if second := copied(b.Run()); !reflect.DeepEqual(first, second) {
				t.Fatalf("seed %d at %v:\n%+v, under other draws\n%+v", seed, v.Now().Sub(0), first, second)
			}
			v.Imagine(&b, &future, 10, swing{})
			b.Run()
		})
		w.Run()
	}
	if starting == 0 {
		t.Error("nothing was starting")
	}
}

// What goes is known of instances under notice, and an imagined future keeps to it.
func TestImagineNotices(t *testing.T) {
	var fork sim.World
	var future sim.Market
	seen := 0
	w := imagining(t, 3, 1, func(v sim.View) {
		var leave []sim.Time
		for p := range v.Pools() {
			leave = v.Leaving(p, leave)
		}
		if len(leave) == 0 {
			return
		}
		seen++
		v.Future(&future, v.Now().After(600), outlook(v, nil))
		v.Imagine(&fork, &future, 1, idle{})
		before := fork.Totals().Preemptions
		if gone := fork.Run().Preemptions - before; gone != int64(len(leave)) {
			t.Errorf("%d instances under notice, %d go", len(leave), gone)
		}
	})
	if w.Run(); seen == 0 {
		t.Error("no notice")
	}
}

type idle struct{}

func (idle) Name() string { return "idle" }

func (idle) Decide(sim.View, *sim.Plan) {}

// A warm fork allocates nothing, its market included.
func TestImagineAllocatesNothing(t *testing.T) {
	var fork sim.World
	var future sim.Market
	var outlooks []sim.Outlook
	w := imagining(t, 1, 20, func(v sim.View) {
		dream := func() {
			v.Future(&future, v.Now().After(3600), outlooks)
			v.Imagine(&fork, &future, 1, swing{})
			fork.Run()
		}
		outlooks = outlook(v, outlooks)
		dream()
		if n := testing.AllocsPerRun(20, dream); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
	w.Run()
}

// A job that the policy believes to be twice as fast is done in half the time.
func TestImagineAsBelieved(t *testing.T) {
	check := near.Count(t)
	m, err := sim.NewMarket(sim.At(1e5), []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 2}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	var fork sim.World
	var future sim.Market
	looked, said := false, ""
	policy := &asked{Policy: pair{}, every: 1, look: func(v sim.View) {
		if v.Job(0).User() != "ann" || v.Job(0).Kind() != "bert" {
			t.Errorf("a job of %s, %s; expected ann, bert", v.Job(0).User(), v.Job(0).Kind())
		}
		if v.Trigger() != sim.TriggerWake || looked {
			return
		}
		looked = true
		v.Future(&future, v.Now().After(1e4), make([]sim.Outlook, 1))
		v.Imagine(&fork, &future, 1, &asked{Policy: pair{}, every: 1, look: func(v sim.View) { said += v.Job(0).User() + v.Job(0).Kind() }})
		job := fork.Run().Jobs[0] // 600 s at 2 a second, then 4800 at 4
		if !job.Finished || check.Off(job.Elapsed.Seconds(), 1800, 1e-3) {
			t.Errorf("%+v, want an end after 1800 s", job)
		}
	}}
	w, err := sim.New(sim.Config{Market: m, Policy: policy, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1}, User: "ann", Kind: "bert",
		Belief: simtest.Linear{PerWorker: 2}, Objective: sim.Objective{Loss: simtest.LossAt(6000), Within: 2 * time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	if job := w.Run().Jobs[0]; check.Off(job.Elapsed.Seconds(), 3000, 1e-3) || !strings.HasPrefix(said, "annbert") {
		t.Errorf("%+v, an imagined job of %q", job, said)
	}
}

// pair holds two instances and is woken after ten minutes.
type pair struct{}

func (pair) Name() string { return "pair" }

func (pair) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 2
	if v.Trigger()&sim.TriggerStart != 0 {
		plan.WakeIn(10 * time.Minute)
	}
}

// What a future has to have is said where it is missing.
func TestImagineRefuses(t *testing.T) {
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			if r, _ := recover().(string); !strings.Contains(r, want) {
				t.Errorf("%q, want %q", r, want)
			}
		}()
		f()
	}
	var fork sim.World
	var future sim.Market
	n := 0
	w := imagining(t, 1, 60, func(v sim.View) {
		if n++; n > 1 {
			return
		}
		o := outlook(v, nil)
		panics("expected 6 pools", func() { v.Future(&future, v.Now()+1, o[1:]) })
		panics("end after", func() { v.Future(&future, v.Now(), o) })
		o[0].Prices = []sim.Price{{At: v.Now(), USD: 1}}
		panics("time goes back", func() { v.Future(&future, v.Now()+9, o) })
		o[0].Prices = []sim.Price{{At: v.Now() + 1, USD: math.NaN()}}
		panics("expected a finite number", func() { v.Future(&future, v.Now()+9, o) })
		panics("are not those of the run", func() {
			v.Imagine(&fork, simtest.Market(2, 7*time.Hour, sim.Never), 1, idle{})
		})
		held := -1
		for p := range v.Pools() {
			if v.Held(0, p).Active() > 0 && !v.Pool(p).OnDemand {
				held = p
			}
		}
		o = outlook(v, nil)
		o[held].Capacity = []sim.Capacity{{N: 0}}
		v.Future(&future, v.Now().After(60), o)
		panics("has capacity for 0 now", func() { v.Imagine(&fork, &future, 1, idle{}) })
	})
	if w.Run(); n == 0 {
		t.Error("it was not asked")
	}
}

// minutely holds what it is said to at each minute.
type minutely struct {
	holds []int
	see   func(minute int, x sim.Seen)
}

func (*minutely) Name() string { return "minutely" }

func (a *minutely) Decide(v sim.View, plan *sim.Plan) {
	minute := int(v.Now().Seconds() / 60)
	a.see(minute, v.Seen(0))
	plan.Jobs[0].Hold[0] = a.holds[min(minute, len(a.holds)-1)]
	plan.WakeIn(time.Minute - v.Now().Sub(0)%time.Minute)
}

// Room for 2, from minute 4 for 3, from minute 6 for none. Three are asked for from
// minute 1 on: the third waits from then until minute 4.
func TestSeen(t *testing.T) {
	m, err := sim.NewMarket(sim.At(3600), []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 3}, Prices: []sim.Price{{USD: 1}},
		Capacity: []sim.Capacity{{N: 2}, {At: sim.At(240), N: 3}, {At: sim.At(360), N: 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	const minute = sim.MachineTime(60e6)
	want := map[int]sim.Seen{
		0: {RefusedAt: sim.Never, TakenAt: sim.Never},
		1: {RefusedAt: sim.Never, TakenAt: sim.Never, Grants: 2, Held: 2 * minute, Occupied: time.Minute},
		3: {RefusedAt: sim.At(180), TakenAt: sim.Never, Grants: 2, Held: 6 * minute, Occupied: 3 * time.Minute, Waited: 2 * time.Minute},
		5: {RefusedAt: sim.At(240), TakenAt: sim.Never, Grants: 3, Arrivals: 1, Held: 11 * minute, Occupied: 5 * time.Minute, Waited: 3 * time.Minute},
		8: {RefusedAt: sim.At(480), TakenAt: sim.At(360), Grants: 3, Arrivals: 1, Removals: 1, Held: 14 * minute, Occupied: 6 * time.Minute, Waited: 5 * time.Minute},
		9: {RefusedAt: sim.At(480), TakenAt: sim.At(360), Grants: 3, Arrivals: 1, Removals: 1, Held: 14 * minute, Occupied: 6 * time.Minute, Waited: 5 * time.Minute},
	}
	compared := 0
	a := &minutely{holds: []int{2, 3, 3, 3, 3, 3, 3, 3, 0}, see: func(minute int, x sim.Seen) {
		if w, ok := want[minute]; ok && x != w {
			t.Errorf("minute %d: %+v, want %+v", minute, x, w)
		} else if ok {
			compared++
		}
	}}
	w, err := sim.New(sim.Config{Market: m, Policy: a, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1},
		Objective: sim.Objective{Loss: simtest.LossAt(1e6), Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	if w.Run(); compared < len(want) {
		t.Errorf("%d comparisons of %d", compared, len(want))
	}
}

// askedQueue is the scheduler of queued, that looks at every n-th decision first.
type askedQueue struct {
	queued
	n, every int
	look     func(sim.View)
}

func (a *askedQueue) Decide(v sim.View, plan *sim.Plan) {
	if a.n++; a.n%a.every == 0 {
		a.look(v)
	}
	a.queued.Decide(v, plan)
}

// submittedAtOnce is jobs of a cluster, all of them there from the start, since those to come are not imagined.
func submittedAtOnce(t *testing.T, n int) sim.Config {
	t.Helper()
	c := clusterConfig(t, n)
	for j := range c.Jobs {
		c.Jobs[j].Submit = 0
	}
	return c
}

// What a scheduler imagines of what will come is the run, whether jobs are held or come from a source; and the run
// stays as it would have been.
func TestSchedulerImaginesTheTruth(t *testing.T) {
	for _, streams := range []bool{false, true} {
		c := submittedAtOnce(t, 80)
		if streams {
			c.Source, c.Jobs = sourced{jobs: c.Jobs, bad: -1}, nil
		}
		c.Policy = queued{}
		alone := run(t, c)
		var fork sim.World
		var dreams []sim.Totals
		c.Policy = &askedQueue{every: 9, look: func(v sim.View) {
			v.ImagineTruth(&fork, queued{})
			dreams = append(dreams, copied(fork.Run()))
		}}
		got := run(t, c)
		if len(dreams) < 5 {
			t.Fatalf("%d dreams", len(dreams))
		}
		if !reflect.DeepEqual(got, alone) {
			t.Errorf("to imagine changes the run: %+v, alone %+v", got.Bill, alone.Bill)
		}
		for i := range dreams {
			if !reflect.DeepEqual(dreams[i], alone) {
				t.Fatalf("from a source %v, dream %d:\n%+v, the run is\n%+v", streams, i, dreams[i], alone)
			}
		}
	}
}

// A scheduler that imagines a cluster without one pool from an instant on finds the jobs done later than with it, and a
// fork just before a decision imagines as the decision would.
func TestSchedulerImagines(t *testing.T) {
	c := submittedAtOnce(t, 60)
	c.Policy = queued{}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if !w.NextDecision() {
			t.Fatal("the run is over after some decisions")
		}
	}
	v := w.View()
	var market [2]sim.Market
	var ends [2]sim.Time
	for k := range market {
		outlooks := make([]sim.Outlook, v.Pools())
		if k == 1 {
			held := 0
			for _, j := range v.ActiveJobs() {
				held += v.Held(j, 0).Active()
			}
			outlooks[0].Capacity = []sim.Capacity{{N: held}, {At: v.Now().Add(time.Hour), N: 0}}
		}
		v.Future(&market[k], v.Now().Add(5000*time.Hour), outlooks)
		var fork sim.World
		v.Imagine(&fork, &market[k], 1, queued{})
		totals := fork.Run()
		ends[k] = totals.End
		if totals.Jobs[0].InstanceTime == 0 {
			t.Errorf("future %d: the first job has held nothing", k)
		}
	}
	if want := w.Run().End; ends[0] != want || ends[1] <= want {
		t.Errorf("imagined to end at %v, without a pool at %v; it ends at %v", ends[0], ends[1], want)
	}
}
