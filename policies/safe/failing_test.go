package safe_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Where machines on demand fail, what they trained is saved: a job whose machines fail every hour and a quarter, which
// takes six hours without failures, ends. Without saves it would have to train for six hours without a failure.
func TestFailingMachinesAreSaved(t *testing.T) {
	pool := sim.Pool{Name: "od", InstanceType: "t", OnDemand: true, Quota: 8, OnDemandPrice: 3, Failures: &sim.Failures{PerHour: 0.2,
		Repairs: []sim.Repair{{Mean: time.Hour, Ends: 1, Works: 1}}}}
	m, err := sim.NewMarket(sim.At(60*3600), []sim.Trace{{Pool: pool, Prices: []sim.Price{{USD: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := parallel.New(parallel.Job{Samples: 6 * 3600 * 64, Batch: 64, Min: 4, Max: 4, Restart: time.Minute, Save: 10 * time.Second},
		[]parallel.Law{{Scaling: parallel.Strong, Alone: 4}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ondemand", "retry:ondemand", "safe:reactive"} {
		for seed := range uint64(5) {
			p, err := policies.New(name)
			if err != nil {
				t.Fatal(err)
			}
			if name == "retry:ondemand" {
				if err := policies.Configure(p, map[string]any{"after_losses": 1}); err != nil {
					t.Fatal(err)
				}
			}
			job := sim.Job{Model: model, Objective: sim.Objective{Within: 10 * time.Hour}}
			w, err := sim.New(sim.Config{Market: m, Policy: p, Jobs: []sim.Job{job}, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if r := w.Run().Jobs[0]; !r.Finished || r.Elapsed <= 6*time.Hour {
				t.Errorf("%s, seed %d: finished %v after %v, expected an end after failures", name, seed, r.Finished, r.Elapsed)
			}
		}
	}
}
