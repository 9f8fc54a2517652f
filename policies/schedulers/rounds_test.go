package schedulers_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// The world, in which GPUs that a job leaves are used at once, is about as fast as Gavel's own
// simulator, in which they wait for the end of the round: by the mean of all jobs.
func TestRounds(t *testing.T) {
	check := near.Count(t)
	models := []string{"v100", "p100", "k80"}
	for _, trace := range []string{"single_s0", "single_s1"} {
		rows := testutil.Rows(t, "papers/gavel/testdata/gavel_rounds_"+trace+"_jobs.csv")
		for policy, c := range map[string]struct {
			rule   func() share.Rule
			shares bool
			within float64
		}{
			"fifo_perf":             {func() share.Rule { return &rules.FastestFIFO{} }, true, 0.02},
			"isolated":              {func() share.Rule { return rules.Isolated{} }, false, 0.03},
			"max_min_fairness_perf": {func() share.Rule { return &share.MaxMin{} }, false, 0.03},
		} {
			want, jobs := 0.0, make([]sim.Job, len(rows))
			for i, r := range rows {
				want += testutil.Number(t, r["jct_s__"+policy]) / float64(len(rows))
				g := &throughput.Gang{GPUs: 1, Total: testutil.Number(t, r["total_steps"])}
				for _, m := range models {
					g.Speeds = append(g.Speeds, throughput.Gavel().Speed(r["job_type"], m, 1))
				}
				jobs[i] = sim.Job{Model: g, Submit: sim.At(testutil.Number(t, r["arrival_s"])).Sub(0), Objective: sim.Objective{Within: 1000 * time.Hour}}
			}
			var pools []sim.Trace
			for _, m := range models {
				pools = append(pools, sim.Trace{Pool: sim.Pool{Name: m, Quota: 4}, Prices: []sim.Price{{USD: 1}}})
			}
			m, err := sim.NewMarket(sim.At(1e8), pools)
			if err != nil {
				t.Fatal(err)
			}
			w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: &schedulers.Rounds{Rule: c.rule, OnlyShares: c.shares}, Recorder: held{t}})
			if err != nil {
				t.Fatal(err)
			}
			mean := 0.0
			for j, x := range w.Run().Jobs {
				mean += x.Elapsed.Seconds() / float64(len(jobs))
				if !x.Finished {
					t.Fatalf("%s, %s: job %d does not end", trace, policy, j)
				}
			}
			if off := mean/want - 1; check.Off(off, 0, c.within) {
				t.Errorf("%s, %s: mean %.0f s, Gavel's simulator has %.0f (%+.1f %%)", trace, policy, mean, want, 100*off)
			} else {
				t.Logf("%s, %s: mean %.0f s, %+.2f %%", trace, policy, mean, 100*off)
			}
		}
	}
}

// A fork goes on as its parent does, also where the rule remembers.
func TestRoundsForks(t *testing.T) {
	for name, rule := range map[string]func() share.Rule{
		"finish-time": func() share.Rule { return &rules.FinishTime{} },
		"max-min":     func() share.Rule { return &share.MaxMin{Levels: true} },
	} {
		c := busy(t, 1, &schedulers.Rounds{Rule: rule})
		m, err := sim.NewMarket(sim.At(1e7), servers(t, "n2g16"))
		if err != nil {
			t.Fatal(err)
		}
		c.Market = m
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		w.RunUntil(sim.At(20_000))
		var fork sim.World
		w.Fork(&fork, c.Policy)
		a, b := totals(fork.Run()), totals(w.Run())
		if !reflect.DeepEqual(a, b) || !a.Jobs[len(a.Jobs)-1].Finished {
			t.Errorf("%s: the fork ends otherwise, or not at all", name)
		}
	}
}

// On servers of two models in several racks gangs are whole, no server has more than its GPUs, and every job ends; a
// job that goes on stays where it is.
func TestRoundsOnServers(t *testing.T) {
	for seed := range uint64(4) {
		c := busy(t, seed, &schedulers.Rounds{Rule: func() share.Rule { return &share.MaxMin{} }})
		pools := servers(t, "n2x3g4")
		for p := range pools {
			pools[p].GPU = []string{"a", "b"}[p%(1+int(seed%2))]
		}
		m, err := sim.NewMarket(sim.At(1e7), pools)
		if err != nil {
			t.Fatal(err)
		}
		c.Market, c.Recorder = m, held{t}
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		first := totals(w.Run())
		moves, stops := int64(0), int64(0)
		for j, x := range first.Jobs {
			if moves, stops = moves+x.Moves, stops+x.Suspensions; !x.Finished {
				t.Fatalf("seed %d: job %d does not end", seed, j)
			}
		}
		if seed%2 == 0 && moves > stops { // one model: who is not stopped stays
			t.Errorf("seed %d: %d moves, but %d stops only", seed, moves, stops)
		}
		if err := w.Reset(c); err != nil {
			t.Fatal(err)
		}
		if again := totals(w.Run()); !reflect.DeepEqual(first, again) {
			t.Errorf("seed %d: a second run differs", seed)
		}
	}
}

// The setting says which optimum the rule takes.
func TestOptimum(t *testing.T) {
	for optimum, want := range map[schedulers.Optimum]share.MaxMin{
		"": {Agnostic: true}, schedulers.LargestSum: {Agnostic: true}, schedulers.Levels: {Agnostic: true, Levels: true},
	} {
		p := schedulers.NewMaxMin("fair", true)
		p.Optimum = optimum
		if got := p.Rule().(*share.MaxMin); got.Agnostic != want.Agnostic || got.Levels != want.Levels {
			t.Errorf("%q: %+v", optimum, got)
		}
	}
}

// A server of one's own that fails is full until it is asked again, beside spot servers too.
func TestRoundsFailingServer(t *testing.T) {
	price := []sim.Price{{USD: 1}}
	m, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: sim.Pool{Name: "own", GPU: "v100", Quota: 2, Reserved: true}, Prices: price, Capacity: []sim.Capacity{{N: 2}, {At: sim.At(1000)},
			{At: sim.At(3000), N: 2}}},
		{Pool: sim.Pool{Name: "spot", GPU: "v100", Quota: 1}, Prices: price, Capacity: []sim.Capacity{{N: 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	job := sim.Job{Model: &throughput.Gang{GPUs: 2, Total: 3600}, Objective: sim.Objective{Within: time.Hour}}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: &schedulers.Rounds{Rule: func() share.Rule { return rules.Isolated{} }}})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Run().Jobs[0]; !got.Finished || got.Elapsed < 5600*time.Second || got.Elapsed > 6000*time.Second {
		t.Errorf("finished %v after %v, expected after 1,000 s of work, 2,000 s without GPUs, at most five minutes more, and 2,600 s", got.Finished, got.Elapsed)
	}
}
