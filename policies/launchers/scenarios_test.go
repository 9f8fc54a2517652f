package launchers

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// pool is a pool of one region, with a boot of 100 s and a notice of 120 s, that has n instances until it changes.
func pool(name string, usd float64, onDemand bool, pairs ...[2]float64) sim.Trace {
	return sim.Trace{
		Pool: sim.Pool{
			Name: name, Region: "r", InstanceType: "x", OnDemand: onDemand, Quota: 8,
			Boot: sim.Boot{Median: 100 * time.Second}, Notice: 120 * time.Second,
		},
		Prices:   []sim.Price{{USD: usd}},
		Capacity: capacity(pairs),
	}
}

// runs has a job of so many hours on one instance, or less on more, run under a policy until a day is over.
func runs(t *testing.T, p sim.Policy, hours float64, most int, pools ...sim.Trace) *sim.Totals {
	t.Helper()
	market, err := sim.NewMarket(sim.At(24*3600), pools)
	if err != nil {
		t.Fatal(err)
	}
	laws := make([]parallel.Law, len(pools))
	for i := range laws {
		laws[i] = parallel.Law{Scaling: parallel.Strong, Alone: 1}
	}
	model, err := parallel.New(parallel.Job{
		Samples: hours * 3600, Batch: 1, Min: 1, Max: most, Restart: 200 * time.Second, Save: time.Second,
		Interval: 10 * time.Minute,
	}, laws)
	if err != nil {
		t.Fatal(err)
	}
	job := sim.Job{Model: model, Objective: sim.Objective{Within: 20 * time.Hour}}
	w, err := sim.New(sim.Config{Market: market, Policy: p, Jobs: []sim.Job{job}, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// A zone is taken at 1 h, with a notice, and has capacity again at 5 h; the other costs more, on demand most.
func TestKarpenterReplacesAtTheNotice(t *testing.T) {
	check := near.Count(t)
	cheap := pool("cheap", 1, false, [2]float64{0, 1}, [2]float64{3600, 0}, [2]float64{18000, 1})
	dear := pool("dear", 2, false, [2]float64{0, 0}, [2]float64{7200, 1})
	totals := runs(t, NewKarpenter(), 10, 1, cheap, dear, pool("on-demand", 4, true, [2]float64{0, 8}))
	// On demand from the notice, 58 min, on; nobody goes back.
	if job := &totals.Jobs[0]; !job.Finished || totals.Pools[2].Grants != 1 || totals.Pools[1].Grants != 0 {
		t.Errorf("%+v", totals)
	}
	if hours := totals.Pools[2].InstanceHours; check.Outside(hours, 9, 9.2) {
		t.Errorf("%v h on demand", hours)
	}
	k := NewKarpenter()
	k.Consolidate = true
	totals = runs(t, k, 10, 1, cheap, dear, pool("on-demand", 4, true, [2]float64{0, 8}))
	if hours := totals.Pools[2].InstanceHours; check.Outside(hours, 1, 1.2) || totals.Pools[1].Grants == 0 {
		t.Errorf("consolidation: %v h on demand, %d grants of the dear zone", hours, totals.Pools[1].Grants)
	}
}

// A group waits for spot where it has no share on demand, and takes the cheapest or the calmest pool.
func TestASGAllocates(t *testing.T) {
	taken := pool("cheap", 1, false, [2]float64{0, 2}, [2]float64{3600, 0}, [2]float64{3700, 2})
	steady := pool("dear", 2, false, [2]float64{0, 8})
	for strategy, dear := range map[Allocation]bool{"": true, CapacityOptimized: true, LowestPrice: false} {
		a := NewASG()
		a.Instances = 2
		a.Strategy = strategy
		totals := runs(t, a, 10, 2, taken, steady, pool("on-demand", 4, true, [2]float64{0, 8}))
		// From 3600 s to 3660 s nothing is asked for; the cheap pool has capacity again at 3700 s.
		if totals.Pools[0].Grants < 2 || (totals.Pools[1].Grants > 0) != dear && strategy != LowestPrice {
			t.Errorf("%q: %d grants cheap, %d dear", strategy, totals.Pools[0].Grants, totals.Pools[1].Grants)
		}
		if totals.Pools[2].Grants != 0 {
			t.Errorf("%q: %d grants on demand", strategy, totals.Pools[2].Grants)
		}
	}
	a := NewASG()
	a.Instances = 4
	a.Base = 1
	a.Share = 0.5
	totals := runs(t, a, 10, 4, taken, steady, pool("on-demand", 4, true, [2]float64{0, 8}))
	if got := totals.Pools[2].Grants; got != 3 { // 1, and half of the other 3 rounded up
		t.Errorf("%d grants on demand, want 3", got)
	}
}

// Managed spot training stays in its pool, never buys on demand, and ends at its limit, done or not.
func TestSageMakerEndsAtItsLimit(t *testing.T) {
	check := near.Count(t)
	gone := pool("cheap", 1, false, [2]float64{0, 1}, [2]float64{3600, 0})
	totals := runs(t, NewSageMakerSpot(), 10, 1, gone, pool("dear", 2, false, [2]float64{0, 8}),
		pool("on-demand", 4, true, [2]float64{0, 8}))
	if job := &totals.Jobs[0]; !job.GivenUp || job.Elapsed != 20*time.Hour || totals.Grants != 1 {
		t.Errorf("given up %v after %v, %d grants", job.GivenUp, job.Elapsed, totals.Grants)
	}
	if usd := totals.Bill.Total(); check.Off(usd, 1, 1e-6) {
		t.Errorf("%v USD, want that of 1 h", usd)
	}
}

// Ray Train grows at its look, and goes back to the last save: what is done since, and 200 s, are lost.
func TestRayElasticLosesWorkToGrow(t *testing.T) {
	check := near.Count(t)
	r := NewRayElastic()
	r.Min = 1
	r.Max = 2
	totals := runs(t, r, 4, 2, pool("a", 1, false, [2]float64{0, 1}), pool("b", 1, false, [2]float64{0, 0}, [2]float64{3000, 1}))
	job := &totals.Jobs[0]
	// a trains from 100 s on, so that it looks at 3100 s, when b is ready; saves of 1 s every 601 s: the last ends at 2504
	// s.
	if redone := job.Activities[sim.Redone].Seconds(); !job.Finished || check.Off(redone, 596, 1e-6) {
		t.Errorf("finished %v, redone %v s of instances", job.Finished, redone)
	}
	if restoring := job.Activities[sim.Restoring].Seconds(); check.Off(restoring, 400, 1) {
		t.Errorf("restoring %v s of instances, want 200 s of two", restoring)
	}
}
