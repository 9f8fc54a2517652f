package schedulers_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// blind are the queues, which do not look at how fast a job is on a model of GPU.
func blind() []sim.Policy {
	return []sim.Policy{
		&schedulers.FIFO{}, &schedulers.FIFO{Backfill: true}, &schedulers.FIFO{Placement: schedulers.Consolidated},
		&schedulers.FIFO{Placement: schedulers.Closest, Backfill: true},
		&schedulers.Shortest{}, &schedulers.Shortest{Key: schedulers.Size, Placement: schedulers.Closest}, &schedulers.LAS{Limits: schedulers.DefaultLimits},
		&schedulers.LAS{Limits: schedulers.DefaultLimits, TimeOnly: true, Placement: schedulers.Closest}, &schedulers.LAS{Limits: schedulers.DefaultLimits,
			Promote: 2},
		&schedulers.Starburst{Patience: schedulers.Constant, Factor: 1, Backfill: true}, &schedulers.Starburst{Patience: schedulers.PerGPUHour, Factor: 0.25},
	}
}

// choosy returns jobs of which each runs on some of three models of GPU, on servers of these in turn, and a cloud of
// two of them.
func choosy(t *testing.T, seed uint64, p sim.Policy) sim.Config {
	var pools []sim.Trace
	add := func(name, gpu string, quota int, cloud bool) {
		pools = append(pools, sim.Trace{Prices: []sim.Price{{USD: 1}}, Pool: sim.Pool{Name: name, GPU: gpu, Region: fmt.Sprint("rack", len(pools)/4),
			Quota: quota, OnDemand: cloud, Reserved: !cloud}})
	}
	for k := range 8 {
		add(fmt.Sprint("server", k), []string{"a", "b", "c"}[k%3], 4, false)
	}
	add("cloud a", "a", 100, true)
	add("cloud c", "c", 100, true)
	draws := sim.Rand{Seed: seed}.Stream(sim.PurposeUser, 0)
	jobs := make([]sim.Job, 60)
	at := 0.0
	for j := range jobs {
		n := uint64(4 * j)
		at += -500 * math.Log(1-draws.Uniform(n))
		speeds, runs := make([]float64, len(pools)), 1+int(draws.Uniform(n+3)*7) // a set of models, not empty
		for k := range pools {
			if runs&(1<<(pools[k].GPU[0]-'a')) != 0 {
				speeds[k] = 1 + float64(k%3)
			}
		}
		jobs[j] = sim.Job{Name: fmt.Sprint(j), Submit: sim.At(at).Sub(0), Objective: sim.Objective{Within: time.Hour}, Model: &throughput.Gang{
			GPUs: 1 << int(3.99*draws.Uniform(n+1)), Total: math.Exp(5 + 5*draws.Uniform(n+2)), Speeds: speeds, Restart: 5 * time.Second}}
	}
	m, err := sim.NewMarket(sim.At(1e7), pools)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Market: m, Jobs: jobs, Policy: p}
}

// runsThere checks every plan: as held does, and that no job has GPUs on which it does not run.
type runsThere struct{ held }

func (r runsThere) Decision(v sim.View, plan *sim.Plan, changed bool) {
	r.held.Decision(v, plan, changed)
	for _, j := range v.ActiveJobs() {
		for _, x := range plan.Parts(j) {
			if v.Job(j).Model().(*throughput.Gang).Speeds[x.Pool] == 0 {
				r.t.Fatalf("%v: job %d is on %s, where it does not run", v.Now(), j, v.Pool(int(x.Pool)).Name)
			}
		}
	}
}

// Queues that do not look at speeds place no job where it does not run, keep no other waiting for ever, and a fork
// goes on as its parent.
func TestQueuesKeepToModels(t *testing.T) {
	for _, p := range blind() {
		for seed := range uint64(3) {
			c := choosy(t, seed, p)
			c.Recorder = runsThere{held{t}}
			w, err := sim.New(c)
			if err != nil {
				t.Fatal(err)
			}
			first := totals(w.Run())
			for j, x := range first.Jobs {
				if g := c.Jobs[j].Model.(*throughput.Gang); !x.Finished && runnable(c.Market, g, p) {
					t.Errorf("%s, seed %d: job %d of %d GPUs on %v was never done", p.Name(), seed, j, g.GPUs, g.Speeds)
				}
			}
			c.Recorder = nil
			if err := w.Reset(c); err != nil {
				t.Fatal(err)
			}
			w.RunUntil(sim.At(15_000))
			var fork sim.World
			w.Fork(&fork, p)
			a, b := totals(fork.Run()), totals(w.Run())
			if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(b, first) {
				t.Errorf("%s, seed %d: a fork, or a second run, ends otherwise", p.Name(), seed)
			}
		}
	}
}

// runnable reports whether a gang fits the servers on which it runs; where only whole servers of a rack will do,
// whether it fits one.
func runnable(m *sim.Market, g *throughput.Gang, p sim.Policy) bool {
	n := 0
	for k, speed := range g.Speeds {
		if speed > 0 && !m.Pool(k).OnDemand {
			n += m.Pool(k).Quota
		}
	}
	f, fifo := p.(*schedulers.FIFO)
	_, burst := p.(*schedulers.Starburst)
	if burst || fifo && f.Placement == schedulers.Consolidated {
		n = min(n, 4)
	}
	return g.GPUs <= n
}

// A job that runs on the second model only gives way to none that holds the first, and one that runs on both makes
// room for it by going on where it can.
func TestFreeGPUsByModel(t *testing.T) {
	pool := func(name, gpu string) sim.Trace {
		return sim.Trace{Prices: []sim.Price{{}}, Pool: sim.Pool{Name: name, GPU: gpu, Quota: 1, Reserved: true}}
	}
	m, err := sim.NewMarket(sim.At(1e6), []sim.Trace{pool("s", "a"), pool("t", "b")})
	if err != nil {
		t.Fatal(err)
	}
	job := func(at, work float64, a, b float64) sim.Job {
		return sim.Job{Submit: sim.At(at).Sub(0), Objective: sim.Objective{Within: time.Hour}, Model: &throughput.Gang{GPUs: 1, Total: work, Speeds: []float64{a, b}}}
	}
	for _, p := range []sim.Policy{&schedulers.Shortest{}, &schedulers.LAS{Limits: schedulers.Limits{First: 50, Second: 9000}},
		&schedulers.LAS{Limits: schedulers.Limits{First: 50, Second: 9000}, Promote: 1e6}} {
		// The first runs on both and is on a; the second, which is to go first, on a alone: the first goes on on b.
		got := run(t, sim.Config{Market: m, Jobs: []sim.Job{job(0, 1000, 1, 1), job(100, 200, 1, 0)}, Policy: p})
		if a, b := got.Jobs[0].Elapsed, got.Jobs[1].Elapsed; a != 1000*time.Second || b != 200*time.Second {
			t.Errorf("%s: done after %v and %v, expected 1000 s and 200 s", p.Name(), a, b)
		}
		// The second runs on b alone, which is free.
		got = run(t, sim.Config{Market: m, Jobs: []sim.Job{job(0, 1000, 1, 0), job(100, 200, 0, 1)}, Policy: p})
		if a, b := got.Jobs[0], got.Jobs[1]; a.Elapsed != 1000*time.Second || a.Suspensions+a.Moves > 0 || b.Elapsed != 200*time.Second {
			t.Errorf("%s: done after %v and %v, expected 1000 s without a stop, and 200 s", p.Name(), a.Elapsed, b.Elapsed)
		}
	}
	// First come first served: the head waits for its model, and those behind it for the head; first-fit passes it.
	jobs := []sim.Job{job(0, 1000, 1, 0), job(10, 100, 1, 0), job(20, 100, 0, 1)}
	for backfill, want := range map[bool]time.Duration{false: 1080 * time.Second, true: 100 * time.Second} {
		got := run(t, sim.Config{Market: m, Jobs: jobs, Policy: &schedulers.FIFO{Backfill: backfill}})
		if got.Jobs[2].Elapsed != want {
			t.Errorf("backfill %v: the last is done after %v, expected %v", backfill, got.Jobs[2].Elapsed, want)
		}
	}
}
