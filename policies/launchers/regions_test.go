package launchers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// regional is a market of two zones in the cheapest region and one in each of two others.
type regional struct {
	name      string
	on, off   float64 // s: mean times with and without capacity in the cheapest region, exponential
	otherOn   float64 // in the others
	otherOff  float64
	dearer    float64 // price of the others, as a multiple
	lowest    float64 // bounds of the mean difference, as it runs less as documented, USD
	highest   float64
	preempted bool // it is preempted more often as it runs
}

// traces draws a market.
func (m *regional) traces(seed uint64, horizon float64) (pools []sim.Trace) {
	const cheapest = 0.92 // USD/h, about what a V100 costs on spot
	for z, region := range []string{"a", "a", "b", "c"} {
		random := rand.New(rand.NewPCG(seed, uint64(z)))
		on := m.on
		off := m.off
		usd := cheapest
		if region != "a" {
			on = m.otherOn
			off = m.otherOff
			usd *= m.dearer
		}
		there := random.Float64() < on/(on+off)
		trace := sim.Trace{
			Pool: sim.Pool{
				Name: fmt.Sprintf("%s%d", region, z), Region: region, Zone: fmt.Sprint(region, z), InstanceType: "x", Quota: 1,
				Boot: sim.Boot{Median: 3 * time.Minute},
			},
			Prices: []sim.Price{{USD: usd * (1 + 0.001*float64(z))}}, // no two are equal
		}
		for at := 0.0; at < horizon; {
			n := 0
			mean := off
			if there {
				n = 1
				mean = on
			}
			trace.Capacity = append(trace.Capacity, sim.Capacity{At: sim.At(at), N: n})
			at += mean * random.ExpFloat64()
			there = !there
		}
		pools = append(pools, trace)
	}
	return pools
}

// What it costs that SkyPilot as released blocks no region (skypilot #10021) depends on the market: dollars where
// capacity in the cheapest region comes back soon and briefly, and it saves where the other regions are dearer and no
// better. The job has 24 h of work and saves every 30 min.
func TestBlockingNoRegion(t *testing.T) {
	const hour = 3600
	const horizon = 20 * 24 * hour
	const draws = 60
	for _, m := range []regional{
		{"crowded: 30 min with, 2 min without; others 12 h, 30 min", hour / 2, hour / 30, 12 * hour, hour / 2, 1.1, 3, 8, true},
		{"all alike: 4 h, 10 min", 4 * hour, hour / 6, 4 * hour, hour / 6, 1.1, -2.5, -0.3, false},
		{"the same, others 40 % dearer", 4 * hour, hour / 6, 4 * hour, hour / 6, 1.4, -6, -2, false},
	} {
		var difference []float64
		var usd, losses [2][]float64
		for seed := range uint64(draws) {
			traces := m.traces(seed, horizon)
			for i, strategy := range []Strategy{"", AsDocumented} {
				market, err := sim.NewMarket(sim.At(horizon), traces)
				if err != nil {
					t.Fatal(err)
				}
				p := NewSkyPilot()
				p.Strategy = strategy
				w, err := sim.New(sim.Config{Market: market, Policy: p, Seed: seed, Jobs: []sim.Job{{
					Model: &gang{n: 1, work: 24 * hour, save: hour / 2}, Objective: sim.Objective{Within: horizon * time.Second},
				}}})
				if err != nil {
					t.Fatal(err)
				}
				totals := w.Run()
				if !totals.Jobs[0].Finished {
					t.Fatalf("%s, seed %d: not finished", m.name, seed)
				}
				usd[i] = append(usd[i], totals.Bill.Total())
				losses[i] = append(losses[i], float64(totals.Preemptions))
			}
			difference = append(difference, usd[0][seed]-usd[1][seed])
		}
		mean := stats.Mean(difference)
		squares := 0.0
		for _, d := range difference {
			squares += (d - mean) * (d - mean)
		}
		half := 1.96 * math.Sqrt(squares/(draws-1)/draws)
		t.Logf("%s: %.2f and %.2f USD; as it runs less as documented: %+.2f (%+.2f to %+.2f); preemptions %.1f and %.1f",
			m.name, stats.Mean(usd[0]), stats.Mean(usd[1]), mean, mean-half, mean+half, stats.Mean(losses[0]), stats.Mean(losses[1]))
		if mean-half < m.lowest || mean+half > m.highest {
			t.Errorf("%s: a mean difference of %.2f +- %.2f USD, expected within %v and %v", m.name, mean, half, m.lowest, m.highest)
		}
		if more := stats.Mean(losses[0]) > 1.5*stats.Mean(losses[1]); more != m.preempted {
			t.Errorf("%s: preempted %v and %v times", m.name, stats.Mean(losses[0]), stats.Mean(losses[1]))
		}
	}
}
