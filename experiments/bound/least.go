package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

func (x *mixture) min(s *state, lambda float64, other corner) (corner, float64) {
	q := query{s, lambda, tolerance, 0}
	best := x.guess(&q, other, 1)
	q.floor = best.value(lambda)
	for n := 1; n <= s.capacity(); n++ {
		all := x.of(n)
		if !x.promises(&q, &all[len(all)-1], n, 1, best.value(lambda)) {
			continue
		}
		for i := range all {
			if value := best.value(lambda); x.promises(&q, &all[i], n, i+1, value) {
				if c := x.search(&q, &all[i], n, i+1, value); c.rate > 0 {
					best = c
				}
			}
		}
	}
	return best, min(q.floor, best.value(lambda))
}

// fastest asks for any price and as many servers as are of use.
func (x *mixture) fastest(s *state) (corner, float64) {
	q := query{s, math.MaxFloat32, rough, 0}
	best := x.guess(&q, corner{}, maxWorkers)
	q.floor = best.value(q.lambda)
	for n := s.capacity(); n > 0; n-- {
		all := x.of(n)
		if value := best.value(q.lambda); x.promises(&q, &all[len(all)-1], n, len(all), value) {
			if c := x.search(&q, &all[len(all)-1], n, len(all), value); c.rate > 0 {
				best = c
			}
		}
	}
	return best, max(best.rate, -q.floor/q.lambda)
}

// begins tells a single instance from all others. All that is asked for when training begins
// is part of what it is set up for, and so is all that it grows to if fewer were announced
// (sim.JobPlan.Workers): after one there can be more only when others have booted. More
// ranges of numbers were not worth their time: one of a kind with large batches begins the
// furthest on, and is cheap for two boots.
func (x *mixture) begins() []begin {
	var at [2]float64 // on n and one, or more
	for n := len(x.tables) - 1; n > 0; n-- {
		for p := range x.market.Pools() {
			if x.market.Pool(p).Quota > 0 {
				l := sim.Layout{Workers: make([]int32, x.market.Pools()), Servers: 1}
				l.Workers[p] = int32(n)
				at[min(n, 2)-1] = max(at[min(n, 2)-1], x.model.Begin(&l)*x.model.MixingGain(n))
			}
		}
	}
	if at[1] >= at[0] {
		return []begin{{progress: at[1]}}
	}
	return []begin{{at[0], 1}, {progress: at[1]}}
}
