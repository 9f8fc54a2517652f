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

// atTheEnd holds two instances and works out, at the end of their first hour, what the rest costs.
type atTheEnd struct {
	planner ondemand.Planner
	usd     float64
}

func (*atTheEnd) Name() string { return "at the end" }

func (p *atTheEnd) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 2
	switch v.Now() {
	case 0:
		plan.WakeIn(time.Hour)
	case sim.At(3600):
		p.planner.Share = 0.999
		p.planner.Update(v, 0, nil, false, plan)
		best, _ := p.planner.Plan(&ondemand.Start{Loss: v.Job(0).Loss(), Left: 1e5})
		p.usd = best.USD
	}
}

// What goes at the end of its paid hour costs nothing more: of two instances one stays for the 3,000 s that it needs.
func TestNothingIsPaidAtTheEndOfAnHour(t *testing.T) {
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{{Pool: sim.Pool{Name: "on demand", OnDemand: true, Quota: 2, OnDemandPrice: 1},
		Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := parallel.New(parallel.Job{Samples: 2 * (2*3600 + 3000), Batch: 2, Min: 1, Max: 2},
		[]parallel.Law{{Scaling: parallel.Strong, Alone: 1}})
	if err != nil {
		t.Fatal(err)
	}
	p := new(atTheEnd)
	w, err := sim.New(sim.Config{Market: market, Policy: p, Billing: sim.Billing{Increment: time.Hour},
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 10 * time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	near.Rel(t, "USD of the rest", p.usd, 1, 1e-6)
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
