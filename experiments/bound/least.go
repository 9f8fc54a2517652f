package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

func (x *mixture) cheapest(s *state, lambda float64, other corner) (corner, float64) {
	q := query{state: s, lambda: lambda, tolerance: tolerance}
	best := x.guess(&q, other, 1)
	q.floor = best.costAt(lambda)
	for n := 1; n <= s.capacity(); n++ {
		all := x.of(n)
		if !x.promises(&q, &all[len(all)-1], n, 1, best.costAt(lambda)) {
			continue
		}
		for i := range all {
			best = x.searchIfPromising(&q, &all[i], n, i+1, best)
		}
	}
	return best, min(q.floor, best.costAt(lambda))
}

// fastest asks for any price and as many servers as are of use.
func (x *mixture) fastest(s *state) (corner, float64) {
	q := query{state: s, lambda: math.MaxFloat32, tolerance: rough}
	best := x.guess(&q, corner{}, maxWorkers)
	q.floor = best.costAt(q.lambda)
	for n := s.capacity(); n > 0; n-- {
		all := x.of(n)
		best = x.searchIfPromising(&q, &all[len(all)-1], n, len(all), best)
	}
	return best, max(best.rate, -q.floor/q.lambda)
}

// searchIfPromising returns the best of n workers, if they may be and are better than another cluster; else that one.
func (x *mixture) searchIfPromising(q *query, k *kinds, n, servers int, other corner) corner {
	cost := other.costAt(q.lambda)
	if !x.promises(q, k, n, servers, cost) {
		return other
	}
	found := x.search(q, k, n, servers, cost)
	if found.rate > 0 {
		return found
	}
	return other
}

// begins tells a single instance from all others. All that is asked for when training begins is part of what it is
// set up for, and so is all that it grows to if fewer were announced (sim.JobPlan.Workers): after one there can be
// more only when others have booted. More ranges of numbers were not worth their time: one of a kind with large
// batches begins the furthest on, and is cheap for two boots.
func (x *mixture) begins() []begin {
	one := 0.0
	more := 0.0
	pools := x.market.Pools()
	for n := 1; n < len(x.tables); n++ {
		for p := range pools {
			if x.market.Pool(p).Quota == 0 {
				continue
			}
			layout := sim.Layout{Workers: make([]int32, pools), Servers: 1}
			layout.Workers[p] = int32(n)
			progress := x.model.Begin(&layout) * x.model.MixingGain(n)
			if n == 1 {
				one = max(one, progress)
			} else {
				more = max(more, progress)
			}
		}
	}
	if more >= one {
		return []begin{{progress: more}}
	}
	return []begin{{progress: one, maxInstances: 1}, {progress: more}}
}
