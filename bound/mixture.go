package bound

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Separable is a sim.WorkerModel whose progress on n workers is R^2 / (B sqrt n), where R
// and B are sums over the workers of numbers that depend on their pool, on n and on the
// parameter servers only (ps.ASP, but for the paper's loss form).
type Separable interface {
	sim.WorkerModel
	Separable() bool
}

// mostWorkers bounds the instances that a search goes through.
const mostWorkers = 4096

// mixture is a Separable model: workers of several kinds side by side.
type mixture struct {
	model  Separable
	pools  int
	fixed  float64    // price of the parameter servers, USD per second
	tables []kinds    // by number of workers
	order  []int      // scratch memory, as is the next
	parts  []interval // of theta that may have the best
	value  []float64
	start  float64
}

// kinds is what an instance of each pool adds: w to R, a to B.
type kinds struct {
	w, a     []float64
	lo, hi   float64 // least and largest w/a
	strength float64 // largest w^2/a
}

type interval struct{ lo, hi float64 }

func newMixture(m Separable, market *sim.Market, total, servers int, price float64) (*mixture, error) {
	pools := market.Pools()
	x := &mixture{model: m, pools: pools, fixed: price * float64(servers), value: make([]float64, pools)}
	for p := range pools {
		l := sim.Layout{Workers: make([]int32, pools), Servers: int32(servers)}
		l.Workers[p] = 1
		x.start = max(x.start, m.Begin(&l))
	}
	for n := range total + 1 {
		x.tables = append(x.tables, x.kinds(max(n, 1), servers))
	}
	for p, w := range x.tables[0].w {
		if w == 0 {
			return nil, fmt.Errorf("bound: pool %s alone is out of the model's range: what it adds to others is not known", market.Pool(p).Name)
		}
	}
	return x, nil
}

// kinds takes what a worker adds from clusters of one kind each.
func (x *mixture) kinds(n, servers int) kinds {
	k := kinds{w: make([]float64, x.pools), a: make([]float64, x.pools), lo: math.Inf(1)}
	for p := range x.pools {
		l := sim.Layout{Workers: make([]int32, x.pools), Servers: int32(servers)}
		l.Workers[p] = int32(n)
		r := x.model.Rate(&l)
		if r.Progress <= 0 {
			continue
		}
		k.w[p] = r.Iterations / float64(n)
		k.a[p] = k.w[p] * r.Iterations / (r.Progress * math.Sqrt(float64(n)))
		k.lo, k.hi = min(k.lo, k.w[p]/k.a[p]), max(k.hi, k.w[p]/k.a[p])
		k.strength = max(k.strength, k.w[p]*k.w[p]/k.a[p])
	}
	return k
}

func (x *mixture) begin() float64 { return x.start }

func (x *mixture) solve(s *segment, lambda float64) corner {
	best, value := corner{}, 0.0
	x.order = byPrice(x.order, s)
	room, cheapest := 0, 0.0
	for _, p := range x.order {
		room += s.room[p]
	}
	if len(x.order) > 0 {
		cheapest = s.usd[x.order[0]]
	}
	for n := 1; n <= room; n++ {
		k := &x.tables[n]
		if float64(n)*cheapest+x.fixed-lambda*k.strength*math.Sqrt(float64(n))*(1+safety) >= value {
			continue
		}
		if c := x.search(s, k, n, lambda, value-x.fixed); c.rate > 0 {
			c.cost += x.fixed
			best, value = c, c.cost-lambda*c.rate
		}
	}
	return best
}

// search returns the cluster of n workers with the least cost - lambda rate, if that is
// less than a value. Since R^2/B is the largest 2 theta R - theta^2 B over theta, a
// cluster's value is the least over theta of a sum over its workers, and for one theta the
// best cluster is the n smallest of these. Within d of the middle m of an interval,
// theta^2 is at least 2 m theta - m^2, which makes the sums linear in theta: their least
// value is at an end of the interval. Intervals are halved until that is no better than
// the best cluster found.
func (x *mixture) search(s *segment, k *kinds, n int, lambda, value float64) (best corner) {
	root := math.Sqrt(float64(n))
	kappa := lambda * (1 + safety) / root
	x.parts = append(x.parts[:0], interval{k.lo, k.hi})
	for len(x.parts) > 0 {
		part := x.parts[len(x.parts)-1]
		x.parts = x.parts[:len(x.parts)-1]
		half, least := (part.hi-part.lo)/2, math.Inf(1)
		for _, theta := range [2]float64{part.lo, part.hi} {
			bound, rate, sum, cost := x.fill(s, k, n, kappa, theta, half)
			c := corner{rate * rate / (sum * root) * (1 + safety), cost}
			if v := cost - lambda*c.rate; v < value {
				best, value = c, v
			}
			least = min(least, bound)
		}
		if least < value-tolerance*math.Abs(value) && half > 1e-7*part.hi {
			x.parts = append(x.parts, interval{part.lo, part.lo + half}, interval{part.lo + half, part.hi})
		}
	}
	return best
}

// fill takes the n workers whose linear values at theta are the smallest, with their sum.
func (x *mixture) fill(s *segment, k *kinds, n int, kappa, theta, half float64) (bound, rate, sum, cost float64) {
	square := theta*theta - half*half
	for _, p := range x.order {
		x.value[p] = s.usd[p] - kappa*(2*theta*k.w[p]-square*k.a[p])
	}
	left := n
	for left > 0 {
		at := -1
		for _, p := range x.order {
			if !math.IsInf(x.value[p], 1) && (at < 0 || x.value[p] < x.value[at]) {
				at = p
			}
		}
		m := float64(min(left, s.room[at]))
		bound += m * x.value[at]
		rate += m * k.w[at]
		sum += m * k.a[at]
		cost += m * s.usd[at]
		left -= int(m)
		x.value[at] = math.Inf(1)
	}
	return bound, rate, sum, cost
}

// byPrice lists the pools that have room, the cheapest first.
func byPrice(order []int, s *segment) []int {
	order = order[:0]
	for p, room := range s.room {
		if room > 0 {
			order = append(order, p)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.usd[a] < s.usd[b]:
			return -1
		case s.usd[a] > s.usd[b]:
			return 1
		}
		return 0
	})
	return order
}
