package simtest_test

import (
	"testing"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// steady holds two instances of the first spot pool: it asks for another at the notice, which may come at the grant.
type steady struct{}

func (steady) Name() string { return "steady" }

func (steady) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		hold := plan.Jobs[j].Hold
		clear(hold)
		for p := range hold {
			if !v.Pool(p).OnDemand {
				hold[p] = min(2, v.Pool(p).Quota)
				break
			}
		}
	}
}

// A request whose instance is under notice from its grant waits for a change of capacity that it can see: not
// for one above the quota, of which recorders alone are told.
func TestSteady(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return steady{} })
	for seed := range uint64(60) {
		m := simtest.Market(seed, 6*3600e9, sim.Never)
		c := sim.Config{Market: m, Jobs: simtest.Jobs(1), Policy: steady{}, Seed: seed, Billing: sim.PerSecond()}
		plain, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		c.Recorder = silent{}
		recorded, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		a, b := plain.Run(), recorded.Run()
		if a.Decisions != b.Decisions || a.Bill != b.Bill {
			t.Errorf("seed %d: %d decisions and %v USD, with a recorder %d and %v", seed, a.Decisions, a.Bill.Total(), b.Decisions, b.Bill.Total())
		}
	}
}

type silent struct{}

func (silent) Decision(sim.View, *sim.Plan, bool) {}
func (silent) Span(*sim.Span)                     {}
