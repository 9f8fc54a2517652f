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
