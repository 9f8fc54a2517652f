package safe_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Where no schedule on demand is in time with boots at their bound, a safe form pays what ondemand does, which plans
// with likely boots: ten minutes of work on two instances or more, billed by the hour. To hurry took all eight.
func TestHoldsWhatIsLikely(t *testing.T) {
	boot := sim.Boot{Median: 5 * time.Minute, Sigma: 0.4}
	spot := sim.Pool{Name: "spot", InstanceType: "t", Quota: 8, Boot: boot}
	sure := sim.Pool{Name: "od", InstanceType: "t", OnDemand: true, Quota: 8, OnDemandPrice: 3, Boot: boot}
	m, err := sim.NewMarket(sim.At(20*3600), []sim.Trace{
		{Pool: spot, Prices: []sim.Price{{USD: 1}}, Capacity: []sim.Capacity{{N: 0}}},
		{Pool: sure, Prices: []sim.Price{{USD: 3}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	law := parallel.Law{Scaling: parallel.Strong, Alone: 8}
	model, err := parallel.New(parallel.Job{Samples: 8 * 150, Batch: 8, Min: 1, Max: 8, Restart: time.Minute}, []parallel.Law{law, law})
	if err != nil {
		t.Fatal(err)
	}
	// Two instances take 600 s; likely boots leave that, their bound does not leave all eight the 150 s that they take.
	likely := policyutil.ReadyAfter(boot, 2, 0.9) + 610
	if bound := policyutil.ReadyAfter(boot, 8, 0.999) + 150; bound < likely {
		t.Fatalf("the bound leaves %v s more", likely-bound)
	}
	job := sim.Job{Model: model, Objective: sim.Objective{Within: time.Duration(likely * 1e9)}}
	safe, err := policies.New("safe:reactive")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		_, usd, _ := runBilled(t, safe, m, job, sim.Billing{Increment: time.Hour}, seed)
		_, other, _ := runBilled(t, ondemand.New(), m, job, sim.Billing{Increment: time.Hour}, seed)
		if usd > other {
			t.Errorf("seed %d: %v USD, and %v by ondemand", seed, usd, other)
		}
	}
}
