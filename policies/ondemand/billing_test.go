package ondemand_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// 7,400 samples on instances of 1 USD/h, without boots: two train 2 a second, for 3,700 s, three 2.5, for 2,960 s. By
// the second two are cheaper, at 2.06 USD against 2.47; by the hour they cost two hours each, 4 USD against 3.
func TestWholeHoursDecideTheCluster(t *testing.T) {
	check := near.Count(t)
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{{Pool: sim.Pool{Name: "on demand", OnDemand: true, Quota: 3, OnDemandPrice: 1},
		Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	layouts := []pipeline.LayoutSpeed{{Pipelines: 2, Stages: 1, SamplesPerS: 2}, {Pipelines: 3, Stages: 1, SamplesPerS: 2.5}}
	model, err := pipeline.New(7400, 1, layouts, pipeline.Recovery{Restart: 100 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rules sim.Billing
		usd   float64
	}{
		{sim.PerSecond(), 2 * 3700.0 / 3600},
		{sim.Billing{Increment: time.Hour}, 3},
		{sim.Billing{Increment: time.Second, Minimum: time.Hour}, 2 * 3700.0 / 3600}, // more than the minimum is by the second
	} {
		w, err := sim.New(sim.Config{Market: market, Policy: ondemand.New(), Billing: c.rules,
			Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 3 * time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		bill := w.Run().Bill
		if check.Off(bill.Total(), c.usd, 1e-6) {
			t.Errorf("%+v: %v USD, want %v", c.rules, bill.Total(), c.usd)
		}
	}
}

// plans counts decisions that worked out a plan.
type plans int

func (n *plans) Decision(_ sim.View, plan *sim.Plan, _ bool) {
	if len(plan.Inputs()) > 0 {
		*n++
	}
}

func (*plans) Span(*sim.Span) {}

// While two thousand instances become ready one after the other, the plan is worked out some hundred times, not each
// time, and the same is held.
func TestPlansFewTimesWhileManyBoot(t *testing.T) {
	const most = 2048
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{{Pool: sim.Pool{Name: "on demand", OnDemand: true, Quota: most, OnDemandPrice: 1,
		Boot: sim.Boot{Median: time.Minute, Sigma: 0.3}}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := parallel.New(parallel.Job{Samples: 1.5e10, Batch: most, Min: 1, Max: most}, []parallel.Law{{Scaling: parallel.Strong, Alone: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	n := new(plans)
	w, err := sim.New(sim.Config{Market: market, Policy: ondemand.New(), Billing: sim.PerSecond(), Recorder: n,
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 20 * time.Minute}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run()
	if j := r.Jobs[0]; !j.Finished || j.Elapsed > 20*time.Minute {
		t.Errorf("ends after %v, finished %v", j.Elapsed, j.Finished)
	}
	t.Logf("%d instances, %d plans", r.Grants, *n)
	if r.Grants < 512 || *n > 512 {
		t.Errorf("%d plans for %d instances, want at least 512 instances and at most 512 plans", *n, r.Grants)
	}
}
