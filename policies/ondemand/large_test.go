package ondemand_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// Of thousands of instances not every number is tried: what is held costs at most a hundredth more than the best
// number, the fastest is found, and numbers between which nothing trains are all found.
func TestThousandsOfInstances(t *testing.T) {
	const price = 3.0
	check := near.Count(t)
	law := parallel.Law{Scaling: parallel.Strong, Alone: 200, Exchange: 0.02, Latency: 0.006}
	for _, sizes := range [][]int{nil, {777, 1501}} {
		job := parallel.Job{Samples: 1e9, Batch: 65536, Min: 1, Max: 2048, Sizes: sizes}
		model, err := parallel.New(job, []parallel.Law{law})
		if err != nil {
			t.Fatal(err)
		}
		seconds := func(n int) float64 { return job.Samples / job.Batch * law.Step(n) }
		fastest := model.MaxUseful()
		for _, times := range []float64{1, 1.01, 1.1, 1.5, 2, 3, 5, 8} {
			within := times*seconds(fastest) + 2
			least := math.Inf(1)
			for n := 1; n <= job.Max; n++ {
				if used, _ := model.Best(n); used == n && seconds(n) <= within-1 {
					least = min(least, float64(n)*price*seconds(n)/3600)
				}
			}
			pool := sim.Pool{Name: "sure", Quota: 2048, OnDemand: true, OnDemandPrice: price}
			market, err := sim.NewMarket(sim.At(1e7), []sim.Trace{{Pool: pool, Prices: []sim.Price{{USD: price}}}})
			if err != nil {
				t.Fatal(err)
			}
			objective := sim.Objective{Within: time.Duration(within * 1e9)}
			w, err := sim.New(sim.Config{
				Market:  market,
				Policy:  ondemand.New(),
				Billing: sim.PerSecond(),
				Jobs:    []sim.Job{{Model: model, Objective: objective}},
			})
			if err != nil {
				t.Fatal(err)
			}
			total := w.Run()
			usd := total.Bill.Total()
			if ended := &total.Jobs[0]; !ended.Finished || ended.Elapsed > objective.Within || check.Above(usd, 1.01*least) {
				t.Errorf("sizes %v, %.2f times the soonest end: %.2f USD after %v, expected at most %.2f within %v",
					sizes, times, usd, ended.Elapsed, 1.01*least, objective.Within)
			}
		}
	}
}
