package bound

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// units are alike: a cluster is a number of them, the cheapest of the moment.
type units struct {
	model sim.PipelineModel
	rates []float64 // by number: the largest progress per second on at most n
	offer []offer
}

// offer is a level of a pool.
type offer struct {
	pool int
	level
}

func newUnits(m sim.PipelineModel, servers, pools, total int) *units {
	u := &units{model: m, rates: make([]float64, min(total, m.MaxUseful())+1)}
	for n := 1; n < len(u.rates); n++ {
		u.rates[n] = u.rates[n-1]
		for largest := n; largest <= 2*n; largest++ { // others may do the work of those that are lost
			d, s := m.Best(largest)
			for _, k := range []int{0, servers} { // a policy may do without
				l := sim.Layout{Workers: make([]int32, pools), Pipelines: int32(d), Stages: int32(s), Servers: int32(k),
					Holes: int32(max(d*s-n, 0))}
				l.Workers[0] = int32(n)
				if r := m.Rate(&l).Progress; !math.IsInf(r, 1) { // else the model has no layout with holes
					u.rates[n] = max(u.rates[n], r)
				}
			}
		}
	}
	return u
}

func (u *units) begins() []begin { return []begin{{progress: u.model.Begin(&sim.Layout{})}} }

func (u *units) min(s *state, lambda float64, other corner) (corner, float64) {
	u.offer = u.offer[:0]
	for p, levels := range s.levels {
		for _, l := range levels {
			u.offer = append(u.offer, offer{p, l})
		}
	}
	slices.SortStableFunc(u.offer, func(a, b offer) int { return cmp.Compare(a.usd, b.usd) })
	best, value, cost, n, found := other, other.value(lambda), 0.0, 0, 0
	for _, o := range u.offer {
		for k := 0; k < o.n && n+1 < len(u.rates); k++ {
			n++
			cost += o.usd
			if v := cost - lambda*u.rates[n]; v < value {
				best, value, found = corner{rate: u.rates[n], cost: cost}, v, n
			}
		}
	}
	if found > 0 {
		best.workers = make([]int32, len(s.levels))
		for _, o := range u.offer {
			k := min(o.n, found)
			best.workers[o.pool] += int32(k)
			found -= k
		}
	}
	return best, value
}

func (u *units) fastest(s *state) (corner, float64) {
	c, _ := u.min(s, math.MaxFloat32, corner{})
	return c, c.rate
}
