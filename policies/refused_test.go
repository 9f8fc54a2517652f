package policies_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

var (
	refusals     = flag.Int("refusals", 0, "markets of TestRefusedPoolsHideNone; 0: a few")
	refusalsSeed = flag.Uint64("refusals-seed", 1, "seed of the first")
)

// asking notes for how long a job that does not train has not asked the pools that have capacity: a sim.Recorder.
type asking struct {
	has     []bool // by pool: capacity
	unasked sim.Time
	longest time.Duration
}

func (*asking) Span(*sim.Span) {}

func (a *asking) Decision(v sim.View, plan *sim.Plan, _ bool) {
	asked := v.Job(0).Training()
	for p, n := range plan.Jobs[0].Hold {
		asked = asked || a.has[p] && n > 0
	}
	if asked {
		a.unasked = sim.Never
		return
	}
	if a.unasked == sim.Never {
		a.unasked = v.Now()
	}
	a.longest = max(a.longest, v.Now().Sub(a.unasked))
}

// refusing draws a market of zones of which all but one have no machine, in half of the cases or always with on
// demand, which costs more, and a job. The zone with machines costs as much as the others, or much more where it is
// dear. It says which pools have machines.
func refusing(t testing.TB, seed uint64, always, dear bool) (c sim.Config, has []bool) {
	t.Helper()
	n := uint64(0)
	draw := func(of int) int {
		n++
		return int(sim.Rand{Seed: seed}.Uniform(sim.PurposeUser, 12, n) * float64(of))
	}
	zones := 2 + draw(5)
	last := draw(zones)
	var traces []sim.Trace
	for z := range zones {
		pool := sim.Pool{Name: fmt.Sprint("z", z), Zone: fmt.Sprint("z", z), InstanceType: "a", Quota: 4, Boot: sim.DefaultBoot()}
		x := sim.Trace{Pool: pool, Prices: []sim.Price{{USD: 0.9 + 0.01*float64(draw(9))}}, Capacity: []sim.Capacity{{N: 0}}}
		if z == last {
			x.Capacity[0].N = 4
			if dear {
				x.Prices[0].USD *= 1.1 + 0.1*float64(draw(10))
			}
		}
		traces, has = append(traces, x), append(has, z == last)
	}
	if draw(2) == 0 || always {
		pool := sim.Pool{Name: "on-demand", InstanceType: "a", Quota: 4, Boot: sim.DefaultBoot(), OnDemand: true, OnDemandPrice: 3.06}
		traces, has = append(traces, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: 3.06}}}), append(has, true)
	}
	m, err := sim.NewMarket(sim.At(48*3600), traces)
	if err != nil {
		t.Fatal(err)
	}
	laws := make([]parallel.Law, len(traces))
	for p := range laws {
		laws[p] = parallel.Law{Scaling: parallel.Strong, Alone: 1, Exchange: 0.1}
	}
	within := time.Duration(6+draw(10)) * time.Hour
	model, err := parallel.New(parallel.Job{Samples: 0.3 * within.Seconds(), Batch: 1, Min: 1, Max: 1 + draw(3), Save: time.Second}, laws)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Market: m, Seed: seed, Billing: sim.PerSecond(), Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: within}}}}, has
}

// However many pools have refused requests, the pool that has machines is asked within a patience for each pool;
// where it costs much more than the others, which are asked again before, within two. mdp weighs a wait for a cheaper
// pool against asking, also where they cost nearly the same: within two, and in 7 of 600 drawn markets it waits longer.
func TestRefusedPoolsHideNone(t *testing.T) {
	const patience = 5*time.Minute + 15*time.Second // the default, and the time between two looks
	for _, info := range policies.List() {
		switch info.Needs {
		case policies.WorkerModels, policies.OneType, policies.AnyModel, policies.MixedPools, policies.RestartingPipelines:
		default:
			continue
		}
		if info.Name == "sagemaker-spot" {
			continue // it stays in one pool
		}
		late, worst := 0, ""
		for k := range uint64(max(*refusals, testutil.Size(20, 200))) {
			seed := *refusalsSeed*1_000_003 + k
			weighs := info.Name == "mdp"
			dear := k%2 == 1 && !weighs // it does not ask a pool that costs more than waiting
			c, has := refusing(t, seed, info.Needs == policies.MixedPools, dear)
			a := &asking{has: has, unasked: sim.Never}
			c.Policy, c.Recorder = quick(info), a
			w, err := sim.New(c)
			if err != nil {
				t.Fatal(err)
			}
			w.Run()
			limit := time.Duration(len(has)) * patience
			if dear || weighs {
				limit *= 2
			}
			if a.longest > limit {
				late++
				worst = fmt.Sprintf("seed %d, %d pools: unasked for %v", seed, len(has), a.longest)
			}
		}
		if late > 0 {
			t.Errorf("%s: %d late, the last: %s", info.Name, late, worst)
		}
	}
}
