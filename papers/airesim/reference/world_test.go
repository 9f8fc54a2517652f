package reference

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// holder holds n instances of the first pool.
type holder int

func (holder) Name() string { return "holder" }

func (n holder) Decide(_ sim.View, plan *sim.Plan) { plan.Jobs[0].Hold[0] = int(n) }

// The world's own failures, of other draws, give the means of AIReSim's published setting: within four standard errors
// of the 30 runs that it prints (9,865.97 h with a deviation of 33.60 h, 11,145.6 failures with 100.3).
func TestWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("short: a second")
	}
	c, minute := Paper(), func(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }
	of := &sim.Failures{PerHour: c.RandomRate * 60, BadShare: c.BadShare, BadTimes: c.Multiplier, OnlyTraining: true,
		Standbys: c.Working - c.JobSize, Spares: c.Spares, SpareWait: minute(c.SpareWait),
		Repairs: []sim.Repair{{Mean: minute(c.AutoTime), Ends: 1 - c.Escalated, Works: 1 - c.AutoFails},
			{Mean: minute(c.ManualTime), Works: 1 - c.ManualFails}}}
	m, err := sim.NewMarket(sim.At(1e8), []sim.Trace{{Pool: sim.Pool{Name: "own", OnDemand: true, Quota: c.JobSize, Failures: of},
		Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 3
	var w sim.World
	hours, failures := 0.0, 0.0
	for seed := range uint64(runs) {
		job := sim.Job{Model: &throughput.Gang{GPUs: c.JobSize, Total: c.JobLength * 60, Restart: minute(c.Recovery)}, Objective: sim.Objective{Within: time.Hour}}
		if err := w.Reset(sim.Config{Market: m, Policy: holder(c.JobSize), Seed: seed, Jobs: []sim.Job{job}}); err != nil {
			t.Fatal(err)
		}
		x := w.Run()
		if !x.Jobs[0].Finished {
			t.Fatalf("seed %d: not finished", seed)
		}
		hours += x.Jobs[0].Elapsed.Hours() / runs
		failures += float64(x.Failures) / runs
	}
	near.Abs(t, "hours", hours, 9865.97, 4*33.60*0.61) // sqrt(1/3 + 1/30)
	near.Abs(t, "failures", failures, 11145.6, 4*100.3*0.61)
}
