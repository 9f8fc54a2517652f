package bound

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

func newSolver(c *sim.Config) (solver, error) {
	job, total := &c.Jobs[0], 0
	for p := range c.Market.Pools() {
		total += c.Market.Pool(p).Quota
	}
	if total > mostWorkers {
		return nil, fmt.Errorf("bound: the quotas allow %d instances, expected at most %d", total, mostWorkers)
	}
	if m, ok := job.Model.(Separable); ok && m.Separable() {
		price := job.ParameterServerPrice / 3600
		if c.Billing.SkipParameterServers {
			price = 0
		}
		return newMixture(m, c.Market, total, max(job.ParameterServers, 1), price)
	}
	m, ok := job.Model.(sim.PipelineModel)
	if !ok {
		return nil, fmt.Errorf("bound: %T is neither Separable nor a sim.PipelineModel: the least cost of its clusters is not known", job.Model)
	}
	for p := range c.Market.Pools() {
		if a, b := c.Market.Pool(0).InstanceType, c.Market.Pool(p).InstanceType; a != b {
			return nil, fmt.Errorf("bound: instances of %s and %s in layouts: the bound is for one type", a, b)
		}
	}
	return newUnits(m, job.ParameterServers, c.Market.Pools(), total), nil
}

// units are alike: a cluster is a number of them, the cheapest of the moment.
type units struct {
	model sim.PipelineModel
	rates []float64 // by number: the largest progress per second on at most so many
	order []int
}

func newUnits(m sim.PipelineModel, servers, pools, total int) *units {
	u := &units{model: m, rates: make([]float64, min(total, m.MostUseful())+1)}
	for n := 1; n < len(u.rates); n++ {
		u.rates[n] = u.rates[n-1]
		for most := n; most <= 2*n; most++ { // others may do the work of those that are lost
			d, s := m.Best(most)
			for _, k := range []int{0, servers} { // a policy may do without
				l := sim.Layout{Workers: make([]int32, pools), Pipelines: int32(d), Stages: int32(s), Servers: int32(k),
					Holes: int32(max(d*s-n, 0))}
				l.Workers[0] = int32(n)
				u.rates[n] = max(u.rates[n], m.Rate(&l).Progress)
			}
		}
	}
	return u
}

func (u *units) begin() float64 { return u.model.Begin(&sim.Layout{}) }

func (u *units) solve(s *segment, lambda float64) corner {
	u.order = byPrice(u.order, s)
	best, value, cost, n := corner{}, 0.0, 0.0, 0
	for _, p := range u.order {
		for range s.room[p] {
			if n++; n == len(u.rates) {
				return best
			}
			cost += s.usd[p]
			if v := cost - lambda*u.rates[n]; v < value {
				best, value = corner{u.rates[n], cost}, v
			}
		}
	}
	return best
}
