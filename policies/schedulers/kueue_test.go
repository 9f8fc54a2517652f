package schedulers_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/kueue"
	"github.com/marigram/marigram/sim"
)

// lending is two queues in a cohort, with 4 GPUs of each of two flavors; a takes back what b borrows.
func lending() *schedulers.Quotas {
	four := []kueue.Quota{{Nominal: 4, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}
	group := []kueue.Group{{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{{Flavor: "new", Quotas: four}, {Flavor: "v100", Quotas: four}}}}
	return &schedulers.Quotas{
		Resource: "gpu",
		Flavors:  map[string]string{"new": "a100"},
		Config: kueue.Config{Queues: []kueue.ClusterQueue{
			{Name: "a", Cohort: "both", Groups: group, Reclaim: kueue.Any, Weight: 1},
			{Name: "b", Cohort: "both", Groups: group, TryNextToBorrow: true, Weight: 1},
		}},
	}
}

// TestKueueFlavors: b's two jobs have the GPUs of both queues in the flavor on which each runs. At 100 s a's job takes
// back 4 of those of which it runs, a100, 30 s later, when the pods of the other have left; that one is done last.
func TestKueueFlavors(t *testing.T) {
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: sim.Pool{Name: "x", GPU: "a100", Quota: 8, Reserved: true, Region: "r"}, Prices: []sim.Price{{}}},
		{Pool: sim.Pool{Name: "y", GPU: "v100", Quota: 8, Reserved: true, Region: "r"}, Prices: []sim.Price{{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	quotas := lending()
	job := func(name, queue string, submit time.Duration, seconds float64, speeds ...float64) sim.Job {
		gpus := 8
		if queue == "a" {
			gpus = 4
		}
		return sim.Job{
			Name: name, Submit: submit, Objective: sim.Objective{Within: sim.NoDeadline},
			Model: &throughput.Gang{GPUs: gpus, Total: seconds, Speeds: speeds},
			Claim: &schedulers.QuotaClaim{Quotas: quotas, Queue: queue, Cluster: queue},
		}
	}
	w, err := sim.New(sim.Config{Market: market, Policy: schedulers.NewKueue(), Jobs: []sim.Job{
		job("on a100", "b", 0, 1000, 1, 0),
		job("on v100", "b", time.Second, 1000, 0, 1),
		job("back", "a", 100*time.Second, 500, 1, 0),
	}})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	for j, want := range []struct {
		waited, elapsed time.Duration
		suspensions     int64
	}{{530 * time.Second, 1530 * time.Second, 1}, {0, 1000 * time.Second, 0}, {30 * time.Second, 530 * time.Second, 0}} {
		got := &totals.Jobs[j]
		if !got.Finished || got.Waited != want.waited || got.Elapsed != want.elapsed || got.Suspensions != want.suspensions {
			t.Errorf("job %d: waited %v, took %v, stopped %d times, expected %+v", j, got.Waited, got.Elapsed, got.Suspensions, want)
		}
	}
}

// TestKueueMarkets has the flavors of Kueue's own examples, spot and on-demand, with a quota of 4 GPUs each. The first
// job has spot, and loses it at 100 s: it is back in its old place at once, admitted again, as its quota is free, and
// waits for spot GPUs. They are back at 900 s, and asked for again every five minutes: it goes on at 1,000 s, with 400 s left. The
// second has on demand.
func TestKueueMarkets(t *testing.T) {
	four := []kueue.Quota{{Nominal: 4, Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}}
	quotas := &schedulers.Quotas{Resource: "gpu", Config: kueue.Config{Queues: []kueue.ClusterQueue{{
		Name: "q", Weight: 1, Groups: []kueue.Group{{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{
			{Flavor: "spot", Quotas: four}, {Flavor: "on-demand", Quotas: four}}}},
	}}}}
	spot := sim.Pool{Name: "z/t", GPU: "gpu", InstanceType: "t", Quota: 4}
	onDemand := sim.Pool{Name: "on-demand/t", GPU: "gpu", InstanceType: "t", Quota: 4, OnDemand: true}
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{
		{Pool: spot, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 4}, {At: sim.At(100)}, {At: sim.At(900), N: 4}}},
		{Pool: onDemand, Prices: []sim.Price{{USD: 3}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	job := func(name string, submit time.Duration) sim.Job {
		return sim.Job{
			Name: name, Submit: submit, Objective: sim.Objective{Within: sim.NoDeadline},
			Model: &throughput.Gang{GPUs: 4, Total: 500, Speeds: []float64{1, 1}},
			Claim: &schedulers.QuotaClaim{Quotas: quotas, Queue: "q", Cluster: "q"},
		}
	}
	w, err := sim.New(sim.Config{Market: market, Policy: schedulers.NewKueue(), Jobs: []sim.Job{job("first", 0), job("second", 10*time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	first := &totals.Jobs[0]
	if !first.Finished || first.Elapsed != 1400*time.Second || first.Preemptions != 1 {
		t.Errorf("first: %+v, expected it done at 1,400 s", first)
	}
	if second := &totals.Jobs[1]; !second.Finished || second.Elapsed != 500*time.Second || second.Waited != 0 {
		t.Errorf("second: %+v, expected it to run at once", second)
	}
}
