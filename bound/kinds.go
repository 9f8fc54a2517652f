package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// kinds is what an instance of each pool adds: w to R, a to B.
type kinds struct {
	w, a     []float64
	lo, hi   float64 // least and largest w/a
	strength []float64
	gain     float64
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

// above reports whether some instance is faster than with one server less.
func (k *kinds) above(o *kinds) bool {
	for p := range k.w {
		if k.w[p] > o.w[p]*(1+1e-12) {
			return true
		}
	}
	return false
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
