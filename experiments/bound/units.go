package bound

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// units are alike: a cluster is a number of them, the cheapest of the moment.
type units struct {
	model  sim.PipelineModel
	rates  []float64 // by number: the largest progress per second on at most n
	offers []offer   // scratch
}

// offer is a level of a pool.
type offer struct {
	pool int
	level
}

func newUnits(m sim.PipelineModel, servers, pools, total int) *units {
	u := &units{model: m, rates: make([]float64, min(total, m.MaxUseful())+1)}
	layout := sim.Layout{Workers: make([]int32, pools)}
	for n := 1; n < len(u.rates); n++ {
		layout.Workers[0] = int32(n)
		u.rates[n] = u.rates[n-1]
		for laidOut := n; laidOut <= 2*n; laidOut++ { // others may do the work of those that are lost
			pipelines, stages := m.Best(laidOut)
			layout.Pipelines = int32(pipelines)
			layout.Stages = int32(stages)
			layout.Holes = int32(max(pipelines*stages-n, 0))
			for _, used := range []int{0, servers} { // a policy may do without
				layout.Servers = int32(used)
				rate := m.Rate(&layout).Progress
				if !math.IsInf(rate, 1) { // else the model has no layout with holes
					u.rates[n] = max(u.rates[n], rate)
				}
			}
		}
	}
	return u
}

func (u *units) begins() []begin { return []begin{{progress: u.model.Begin(&sim.Layout{})}} }

func (u *units) cheapest(s *state, lambda float64, other corner) (corner, float64) {
	u.offers = u.offers[:0]
	for p, levels := range s.levels {
		for _, l := range levels {
			u.offers = append(u.offers, offer{p, l})
		}
	}
	slices.SortStableFunc(u.offers, func(a, b offer) int { return cmp.Compare(a.usd, b.usd) })
	best := other
	least := other.costAt(lambda)
	found := 0
	paid := 0.0
	n := 0
	for _, o := range u.offers {
		for range min(o.n, len(u.rates)-1-n) {
			n++
			paid += o.usd
			cost := paid - lambda*u.rates[n]
			if cost < least {
				least = cost
				best = corner{rate: u.rates[n], cost: paid}
				found = n
			}
		}
	}
	if found > 0 {
		best.workers = make([]int32, len(s.levels))
		for _, o := range u.offers {
			taken := min(o.n, found)
			best.workers[o.pool] += int32(taken)
			found -= taken
		}
	}
	return best, least
}

func (u *units) fastest(s *state) (corner, float64) {
	cluster, _ := u.cheapest(s, math.MaxFloat32, corner{})
	return cluster, cluster.rate
}
