package bound

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// MaxSets is the most sets of instances that the bound of a sim.MixedModel compares.
const MaxSets = 20000

// sets are all that can be held of a sim.MixedModel, by number of instances of each kind: what each does is asked of the model, and which
// are never the best, whatever the prices, are left out. Instances of a kind are the cheapest of the moment.
type sets struct {
	model sim.MixedModel
	kind  []int32 // by pool
	kinds int
	list  []mixed
	offer [][]offer   // by kind, the cheapest first: scratch
	paid  [][]float64 // by kind and number: what that many cost, USD per second: scratch
}

// mixed is a set.
type mixed struct {
	counts  []int32 // by kind
	rate    float64
	traffic float64 // USD per second
}

// countSets is an error where there are more sets than are compared.
func countSets(m sim.MixedModel, market *sim.Market) error {
	_, _, limits := kindsOf(m, market)
	n := 1.0
	for _, k := range limits {
		n *= float64(k + 1)
	}
	if n > MaxSets {
		return fmt.Errorf("bound: the quotas allow %.0f sets of instances of %d kinds (GPU and zone), expected at most %d: "+
			"the least cost of more is not worked out (market.pools: quota, on_demand_quota)",
			n, len(limits), MaxSets)
	}
	return nil
}

// kindsOf returns the kind of each pool, and by kind a pool of it and how many instances the quotas allow.
func kindsOf(m sim.MixedModel, market *sim.Market) (kind []int32, pools []int, limits []int32) {
	kind = make([]int32, market.Pools())
	m.Kinds(kind)
	limits = make([]int32, int(slices.Max(kind))+1)
	pools = make([]int, len(limits))
	for p, k := range kind {
		limits[k] += int32(market.Pool(p).Quota)
		pools[k] = p
	}
	return kind, pools, limits
}

func newSets(m sim.MixedModel, market *sim.Market, pace float64) *sets {
	kind, pools, limits := kindsOf(m, market)
	x := &sets{model: m, kind: kind, kinds: len(limits)}
	x.enumerate(limits, pools, market.Pools())
	for i := range x.list {
		x.list[i].traffic *= pace // per second, while progress is per second of the model's
	}
	x.offer, x.paid = make([][]offer, x.kinds), make([][]float64, x.kinds)
	for k := range x.paid {
		x.paid[k] = make([]float64, limits[k]+1)
	}
	return x
}

// enumerate lists the sets that train, without those than which another of no more instances is as fast, with no more traffic.
func (x *sets) enumerate(limits []int32, pools []int, all int) {
	counts := make([]int32, x.kinds)
	l := sim.Layout{Workers: make([]int32, all)}
	var every []mixed
	var rec func(k int)
	rec = func(k int) {
		if k == x.kinds {
			for i, p := range pools {
				l.Workers[p] = counts[i]
			}
			if r := x.model.Rate(&l); r.Progress > 0 {
				every = append(every, mixed{slices.Clone(counts), r.Progress, r.Traffic})
			}
			return
		}
		for n := range limits[k] + 1 {
			counts[k] = n
			rec(k + 1)
		}
		counts[k] = 0
	}
	rec(0)
	// The fastest first, of equal ones those of less traffic and fewer instances: a set can only be left out for one before it.
	size := func(c []int32) (n int32) {
		for _, k := range c {
			n += k
		}
		return n
	}
	slices.SortStableFunc(every, func(a, b mixed) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(a.traffic, b.traffic), cmp.Compare(size(a.counts), size(b.counts)))
	})
	for _, m := range every {
		if !slices.ContainsFunc(x.list, func(o mixed) bool { return o.traffic <= m.traffic && within(o.counts, m.counts) }) {
			x.list = append(x.list, m)
		}
	}
}

// within reports whether one set has no more of each kind than another.
func within(a, b []int32) bool {
	for k, n := range a {
		if n > b[k] {
			return false
		}
	}
	return true
}

func (x *sets) begins() []begin { return []begin{{progress: x.model.Begin(&sim.Layout{})}} }

// price takes the offers of a state.
func (x *sets) price(s *state) {
	for k := range x.offer {
		x.offer[k] = x.offer[k][:0]
	}
	for p, levels := range s.levels {
		for _, l := range levels {
			x.offer[x.kind[p]] = append(x.offer[x.kind[p]], offer{p, l})
		}
	}
	for k, offers := range x.offer {
		slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.usd, b.usd) })
		paid, n, usd := x.paid[k], 0, 0.0
		for _, o := range offers {
			for i := 0; i < o.n && n+1 < len(paid); i++ {
				n++
				usd += o.usd
				paid[n] = usd
			}
		}
		for n++; n < len(paid); n++ {
			paid[n] = math.Inf(1)
		}
	}
}

func (x *sets) min(s *state, lambda float64, other corner) (corner, float64) {
	x.price(s)
	best, value, found := other, other.value(lambda), -1
	for i := range x.list {
		m := &x.list[i]
		cost, n := m.traffic, int32(0)
		for k, c := range m.counts {
			cost += x.paid[k][c]
			n += c
		}
		if s.max > 0 && int(n) > s.max {
			continue
		}
		if v := cost - lambda*m.rate; v < value {
			best, value, found = corner{rate: m.rate, cost: cost}, v, i
		}
	}
	if found >= 0 {
		best.workers = make([]int32, len(s.levels))
		for k, left := range x.list[found].counts {
			for _, o := range x.offer[k] {
				take := min(int32(o.n), left)
				best.workers[o.pool] += take
				left -= take
			}
		}
	}
	return best, value
}

func (x *sets) fastest(s *state) (corner, float64) {
	c, _ := x.min(s, math.MaxFloat32, corner{})
	return c, c.rate
}
