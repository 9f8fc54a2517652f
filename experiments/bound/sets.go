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

// sets are all that can be held of a model whose sets of instances are compared one by one, by number of instances of
// each kind. Those that are never the best, whatever the prices, are left out. Instances of a kind are the cheapest of
// the moment.
type sets struct {
	model  sim.Model
	kind   []int32 // by pool
	list   []mixed
	offers [][]offer   // by kind, the cheapest first: scratch
	paid   [][]float64 // by kind and number: what that many cost, USD per second: scratch
}

// mixed is a set.
type mixed struct {
	counts  []int32 // by kind
	rate    float64
	traffic float64 // USD per second
}

// offer is a level of a pool.
type offer struct {
	pool int
	level
}

// countSets is an error where there are more sets than are compared.
func countSets(m sim.MixedModel, market *sim.Market) error {
	_, _, limits := kindsOf(m, market)
	sets := 1.0
	for _, limit := range limits {
		sets *= float64(limit + 1)
	}
	if sets > MaxSets {
		return fmt.Errorf("bound: the quotas allow %.0f sets of instances of %d kinds (GPU and zone), "+
			"expected at most %d: the least cost of more is not worked out (market.pools: quota, on_demand_quota)",
			sets, len(limits), MaxSets)
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

// newSets asks a model what each set of instances of its kinds does.
func newSets(m sim.MixedModel, market *sim.Market, pace float64) *sets {
	kind, pools, limits := kindsOf(m, market)
	x := &sets{
		model:  m,
		kind:   kind,
		offers: make([][]offer, len(limits)),
		paid:   make([][]float64, len(limits)),
	}
	x.enumerate(limits, pools, market.Pools())
	for i := range x.list {
		x.list[i].traffic *= pace // per second, while progress is per second of the model's
	}
	for k := range x.paid {
		x.paid[k] = make([]float64, limits[k]+1)
	}
	return x
}

// enumerate lists the sets that train, without those than which another of no more instances is as fast, with no more
// traffic.
func (x *sets) enumerate(limits []int32, pools []int, all int) {
	layout := sim.Layout{Workers: make([]int32, all)}
	var every []mixed
	forEachSet(limits, func(counts []int32) {
		for i, p := range pools {
			layout.Workers[p] = counts[i]
		}
		rate := x.model.Rate(&layout)
		if rate.Progress > 0 {
			every = append(every, mixed{slices.Clone(counts), rate.Progress, rate.Traffic})
		}
	})
	// The fastest first, of equal ones those of less traffic and fewer instances: a set can only be left out for one
	// before it.
	slices.SortStableFunc(every, func(a, b mixed) int {
		return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(a.traffic, b.traffic), cmp.Compare(a.size(), b.size()))
	})
	for _, m := range every {
		better := func(other mixed) bool { return other.traffic <= m.traffic && isWithin(other.counts, m.counts) }
		if !slices.ContainsFunc(x.list, better) {
			x.list = append(x.list, m)
		}
	}
}

// forEachSet goes through all numbers up to the limits, the last one fastest.
func forEachSet(limits []int32, visit func(counts []int32)) {
	counts := make([]int32, len(limits))
	for {
		visit(counts)
		k := len(counts) - 1
		for k >= 0 && counts[k] == limits[k] {
			counts[k] = 0
			k--
		}
		if k < 0 {
			return
		}
		counts[k]++
	}
}

// size returns the number of instances.
func (m *mixed) size() int32 {
	total := int32(0)
	for _, n := range m.counts {
		total += n
	}
	return total
}

// isWithin reports whether one set has no more of each kind than another.
func isWithin(counts, limits []int32) bool {
	for k, n := range counts {
		if n > limits[k] {
			return false
		}
	}
	return true
}

func (x *sets) begins() []begin { return []begin{{progress: x.model.Begin(&sim.Layout{})}} }

// takeOffers takes the offers of a state, and works out what so many of each kind cost.
func (x *sets) takeOffers(s *state) {
	for k := range x.offers {
		x.offers[k] = x.offers[k][:0]
	}
	for p, levels := range s.levels {
		for _, l := range levels {
			k := x.kind[p]
			x.offers[k] = append(x.offers[k], offer{p, l})
		}
	}
	for k, offers := range x.offers {
		slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.usd, b.usd) })
		paid := x.paid[k]
		n := 0
		usd := 0.0
		for _, o := range offers {
			for range min(o.n, len(paid)-1-n) {
				n++
				usd += o.usd
				paid[n] = usd
			}
		}
		for i := n + 1; i < len(paid); i++ {
			paid[i] = math.Inf(1)
		}
	}
}

func (x *sets) cheapest(s *state, lambda float64, other corner) (corner, float64) {
	x.takeOffers(s)
	best := other
	least := other.costAt(lambda)
	found := -1
	for i := range x.list {
		m := &x.list[i]
		if s.maxInstances > 0 && int(m.size()) > s.maxInstances {
			continue
		}
		paid := m.traffic
		for k, n := range m.counts {
			paid += x.paid[k][n]
		}
		cost := paid - lambda*m.rate
		if cost < least {
			least = cost
			best = corner{rate: m.rate, cost: paid}
			found = i
		}
	}
	if found >= 0 {
		best.workers = make([]int32, len(s.levels))
		for k, left := range x.list[found].counts {
			for _, o := range x.offers[k] {
				taken := min(int32(o.n), left)
				best.workers[o.pool] += taken
				left -= taken
			}
		}
	}
	return best, least
}

func (x *sets) fastest(s *state) (corner, float64) {
	cluster, _ := x.cheapest(s, math.MaxFloat32, corner{})
	return cluster, cluster.rate
}
