package experiments

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
)

// The bound is that of steps of a second from every second, on a trace whose capacity
// changes at any instants: of capacity, of machines, and above a quota.
func TestProgressOn(t *testing.T) {
	check := near.Count(t)
	rand := sim.Rand{Seed: 3}
	for trial := range uint64(20) {
		const end = 600
		second := func(n int) sim.Time { return sim.Time(0).Add(time.Duration(n) * time.Second) }
		var capacity []sim.Capacity
		var nodes []sim.NodeEvent
		for at := range end {
			if rand.Intn(sim.PurposeUser, trial, uint64(at), 25) == 0 {
				capacity = append(capacity, sim.Capacity{At: second(at), N: rand.Intn(sim.PurposeUser, trial+100, uint64(at), 5)})
			}
			if at%40 == 7 {
				nodes = append(nodes, sim.NodeEvent{At: second(at), Up: at%80 == 7})
			}
		}
		price := []sim.Price{{USD: 1}}
		m, err := sim.NewMarket(second(end), []sim.Trace{
			{Pool: sim.Pool{Name: "a", Quota: 3}, Prices: price, Capacity: capacity},
			{Pool: sim.Pool{Name: "b", Quota: 3}, Prices: price, Nodes: nodes},
			{Pool: sim.Pool{Name: "c", Quota: 1, OnDemand: true}, Prices: price},
		})
		if err != nil {
			t.Fatal(err)
		}
		rate := []float64{0, 0, 1, 1.5, 3, 3.5} // of one instance none
		each := make([]float64, end)
		for at := range end {
			n := 1
			for p := range 2 {
				c, _ := m.Capacity(p, second(at))
				n += min(c, 3)
			}
			each[at] = rate[min(n, len(rate)-1)]
		}
		p := progressOn(m, rate)
		for _, work := range []float64{1, 40, 300} {
			smallest := math.Inf(1)
			for start := range end {
				want := walk(each[start:], work)
				if got := p.from(float64(start), work); check.Off(got, want, 1e-9) && got != want {
					t.Fatalf("trial %d, %v from %d: %v, expected %v", trial, work, start, got, want)
				}
				smallest = min(smallest, want)
			}
			best := math.Inf(1)
			for i, at := range p.at {
				best = min(best, p.from(at, work))
				if start := p.until(i, work); start >= 0 {
					best = min(best, p.from(start, work))
				}
			}
			if best > smallest+1e-9 || best < smallest-1 { // which begins at whole seconds only
				t.Errorf("trial %d, %v: %v from the best start, by the second %v", trial, work, best, smallest)
			}
		}
	}
}

// walk returns the seconds that work takes at rates by the second.
func walk(each []float64, work float64) float64 {
	for at, rate := range each {
		if work <= rate {
			return float64(at) + work/rate
		}
		work -= rate
	}
	return math.Inf(1)
}
