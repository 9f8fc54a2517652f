package sim_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// fickle asks for anything in every pool, at times for nothing, as a function of the instant.
type fickle struct{ draws sim.Rand }

func (fickle) Name() string { return "fickle" }

func (f fickle) Decide(v sim.View, plan *sim.Plan) {
	for p := range v.Pools() {
		left := v.Pool(p).Quota
		for j := range v.Jobs() {
			hold := &plan.Jobs[j].Hold[p]
			if at := uint64(v.Now()); f.draws.Uniform(1, at, uint64(p+100*j)) < 0.2 {
				*hold = max(int(f.draws.Uniform(2, at, uint64(p+100*j))*float64(left+4))-3, 0)
			}
			if *hold = min(*hold, left); !v.Job(j).Active() {
				*hold = 0
			}
			left -= *hold
		}
	}
	plan.WakeIn(time.Duration(1 + f.draws.Uniform(3, uint64(v.Now()), 0)*1800e9))
}

// spotty returns a market whose capacity moves often, with queues, quotas over pools and nodes.
func spotty(t *testing.T, seed uint64) *sim.Market {
	t.Helper()
	dice := sim.Rand{Seed: seed}
	hs := simtest.Traces(seed, 6*time.Hour)
	for i := range hs {
		h := &hs[i]
		if h.OnDemand {
			continue
		}
		h.Notice = []time.Duration{0, 30 * time.Second, 2 * time.Minute, 20 * time.Minute}[dice.Intn(4, seed, uint64(i), 4)]
		if dice.Intn(5, seed, uint64(i), 5) == 0 {
			h.Wait, h.WaitSigma = 10*time.Minute, 0.5
		}
		if len(h.Nodes) > 0 {
			continue
		}
		h.Capacity = h.Capacity[:0]
		for n, at := uint64(0), sim.Time(0); at < sim.Time(0).Add(6*time.Hour); n++ {
			h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: dice.Intn(6, uint64(i), n, 8)})
			at = at.After(1 + 300*dice.Exponential(7, uint64(i), n)).Add(-time.Duration(at % 1e6))
		}
	}
	m, err := sim.NewMarket(sim.Time(0).Add(6*time.Hour), hs, sim.Limit{Name: "both", Pools: []int{0, 1}, Instances: 5})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A run that passes over the records that cannot matter is the run that meets all of them, to the last bit, and so is
// its fork.
func TestSkippedRecordsChangeNothing(t *testing.T) {
	met, passed := int64(0), int64(0)
	for seed := range uint64(60) {
		var world, fork sim.World
		run := func(skips, forks bool) sim.Totals {
			c := sim.Config{Market: spotty(t, seed), Jobs: simtest.Jobs(1 + int(seed%3)), Policy: fickle{sim.Rand{Seed: seed}}, Seed: seed,
				Billing: sim.PerSecond(), Start: sim.Time(seed) * 20e6}
			if err := world.Reset(c); err != nil {
				t.Fatal(err)
			}
			world.Skip(skips)
			if forks {
				world.RunUntil(c.Start.Add(2 * time.Hour))
				world.Fork(&fork, c.Policy)
				fork.Skip(seed%2 == 0)
				return copied(fork.Run())
			}
			return copied(world.Run())
		}
		all, some, forked := run(false, false), run(true, false), run(true, true)
		met, passed = met+all.Events, passed+all.Events-some.Events
		some.Events, forked.Events = all.Events, all.Events
		if !reflect.DeepEqual(all, some) || !reflect.DeepEqual(all, forked) {
			t.Fatalf("seed %d: all records met\n%+v\nsome passed over\n%+v\nforked\n%+v", seed, all, some, forked)
		}
	}
	if passed < met/10 {
		t.Errorf("%d records passed over of %d events: nothing was tested", passed, met)
	}
}
