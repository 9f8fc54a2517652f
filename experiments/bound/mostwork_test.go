package bound_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// One worker at 2 USD an hour trains a sample a second: 10 USD pay for 18,000 s. From 5 h on it costs 1 USD: what
// waits for that gets twice as much, and eight hours of it at most until the end.
func TestMostWorkByArithmetic(t *testing.T) {
	check := near.Count(t)
	for name, c := range map[string]struct {
		prices             []sim.Price
		samples, usd, want float64
	}{
		"constant":   {[]sim.Price{{USD: 2}}, 100000, 10, 18000},
		"all of it":  {[]sim.Price{{USD: 2}}, 10000, 10, 10000},
		"cheap late": {[]sim.Price{{USD: 2}, {At: sim.At(5 * 3600), USD: 1}}, 100000, 5, 18000},
		"all late":   {[]sim.Price{{USD: 2}, {At: sim.At(5 * 3600), USD: 1}}, 100000, 10, 8*3600 + 1*3600},
	} {
		m, err := sim.NewMarket(sim.At(13*3600), []sim.Trace{{Pool: sim.Pool{Name: "a", InstanceType: "a", OnDemand: true, Quota: 1}, Prices: c.prices}})
		if err != nil {
			t.Fatal(err)
		}
		model, err := parallel.New(parallel.Job{Samples: c.samples, Batch: 1, Min: 1, Max: 1}, []parallel.Law{{Scaling: parallel.Strong, Alone: 1}})
		if err != nil {
			t.Fatal(err)
		}
		config := sim.Config{Market: m, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 13 * time.Hour}}}, Billing: sim.PerSecond()}
		share, err := bound.MostWork(config, c.usd)
		if err != nil {
			t.Fatal(err)
		}
		if got := share * c.samples; check.Below(got, c.want*(1-1e-5)) || check.Above(got, c.want+c.samples/8192) {
			t.Errorf("%s: %v samples for %v USD, want %v", name, got, c.usd, c.want)
		}
	}
}
