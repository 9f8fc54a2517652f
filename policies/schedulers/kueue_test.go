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
