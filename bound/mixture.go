package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// Separable is a sim.WorkerModel whose progress on n workers is R^2 / (B sqrt n) where they
// are alike, and at most MixingGain times that where they are not. R and B are sums over
// the workers of numbers that depend on their pool, on n and on the parameter servers only
// (ps.ASP), and the further on training begins on a first cluster (sim.Model.Begin). More
// servers are of no use where one more adds nothing.
type Separable interface {
	sim.WorkerModel
	// MixingGain returns a number of at least 1; what the model rounds is part of it.
	MixingGain(n int) float64
}

// mostWorkers bounds the instances that a search goes through.
const mostWorkers = 4096

// mixture is a Separable model: workers of several kinds side by side.
type mixture struct {
	model  Separable
	market *sim.Market
	server float64   // price of a parameter server, USD per second
	tables [][]kinds // by number of workers and of servers less one, when they are first wanted
	parts  []interval
	counts []int32 // scratch memory, as are the next
	value  []float64
	next   []choice
}

func newMixture(m Separable, market *sim.Market, total int, price float64) (*mixture, error) {
	pools := market.Pools()
	x := &mixture{model: m, market: market, server: price, tables: make([][]kinds, total+1), counts: make([]int32, pools),
		value: make([]float64, pools)}
	alone := x.kinds(1, 1)
	for p, w := range alone.w {
		if w == 0 {
			return nil, fmt.Errorf("bound: pool %s alone is out of the model's range: what it adds to others is not known", market.Pool(p).Name)
		}
	}
	return x, nil
}

func (x *mixture) least(s *state, lambda float64, other corner) (corner, float64) {
	q := query{s, lambda, tolerance, 0}
	best := x.guess(&q, other, 1)
	q.floor = best.value(lambda)
	for n := 1; n <= s.room(); n++ {
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
	best := x.guess(&q, corner{}, mostWorkers)
	q.floor = best.value(q.lambda)
	for n := s.room(); n > 0; n-- {
		all := x.of(n)
		if value := best.value(q.lambda); x.promises(&q, &all[len(all)-1], n, len(all), value) {
			if c := x.search(&q, &all[len(all)-1], n, len(all), value); c.rate > 0 {
				best = c
			}
		}
	}
	return best, max(best.rate, -q.floor/q.lambda)
}
