package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// interval is a range of theta that may have the best cluster.
type interval struct{ lo, hi float64 }

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

// maxWorkers bounds the instances that a search goes through.
const maxWorkers = 4096

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

// kinds is what an instance of each pool adds: w to R, a to B.
type kinds struct {
	w, a     []float64
	lo, hi   float64 // least and largest w/a
	strength []float64
	gain     float64
}

// above reports whether some instance is faster than with one server less.
func (k *kinds) above(o *kinds) bool {
	for p := range k.w {
		if k.w[p] > o.w[p]*(1+1e-12) {
			return true
		}
	}
	return false
}

// of returns what instances add as some of n workers, by the number of servers less one:
// up to the number from which more are of no use.
func (x *mixture) of(n int) []kinds {
	if x.tables[n] == nil {
		for s := 1; s <= n; s++ {
			k := x.kinds(n, s)
			if s > 1 && !k.above(&x.tables[n][s-2]) {
				break
			}
			x.tables[n] = append(x.tables[n], k)
		}
	}
	return x.tables[n]
}

// kinds takes what a worker adds from clusters of one kind each.
func (x *mixture) kinds(n, servers int) kinds {
	pools := x.market.Pools()
	k := kinds{w: make([]float64, pools), a: make([]float64, pools), strength: make([]float64, pools), lo: math.Inf(1),
		gain: x.model.MixingGain(n)}
	for p := range pools {
		l := sim.Layout{Workers: make([]int32, pools), Servers: int32(servers)}
		l.Workers[p] = int32(n)
		r := x.model.Rate(&l)
		if r.Progress <= 0 {
			continue
		}
		k.w[p] = r.Iterations / float64(n)
		k.a[p] = k.w[p] * r.Iterations / (r.Progress * math.Sqrt(float64(n)))
		k.lo, k.hi = min(k.lo, k.w[p]/k.a[p]), max(k.hi, k.w[p]/k.a[p])
		k.strength[p] = k.w[p] * k.w[p] / k.a[p]
	}
	return k
}

// choice is the next level of a pool, and its price and value.
type choice struct {
	pool, level int
	sum         float64
}

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
