package clairvoyant

import (
	"slices"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/sim"
)

// Steps of the grid, at least, and the most clusters that are tried.
const (
	minSteps    = 60
	maxClusters = 120
)

// newGrid lays a grid over the time of a job between instants at which the market changes.
func newGrid(c *sim.Config, clusters []bound.Cluster, cuts []sim.Time) *grid {
	m, job := c.Market, &c.Jobs[0]
	g := &grid{pools: m.Pools()}
	for p := range g.pools {
		g.boot = append(g.boot, m.Pool(p).Boot.Mean().Seconds())
	}
	largest := cuts[len(cuts)-1].Sub(cuts[0]) / minSteps
	for i := range cuts[:len(cuts)-1] {
		n := sim.Time(max((cuts[i+1].Sub(cuts[i])+largest-1)/largest, 1))
		for k := range n {
			span := cuts[i+1] - cuts[i]
			g.add(m, cuts[i]+span*k/n, cuts[i]+span*(k+1)/n)
		}
	}
	price := job.ParameterServerPrice / 3600
	if c.Billing.SkipParameterServers {
		price = 0
	}
	clusters = g.distinct(clusters)
	rate := func(workers []int32, servers int32) float64 {
		return c.Pace() * job.Model.Rate(&sim.Layout{Workers: workers, Servers: servers}).Progress
	}
	for _, x := range clusters {
		g.clusters = append(g.clusters, cluster{x.Workers, x.Servers, rate(x.Workers, x.Servers), price * float64(x.Servers)})
	}
	g.pairs(rate)
	return g
}

// add adds a step, in which nothing changes.
func (g *grid) add(m *sim.Market, from, to sim.Time) {
	capacity, usd := make([]int32, g.pools), make([]float64, g.pools)
	for p := range capacity {
		n, limited := m.Capacity(p, from)
		if quota := m.Pool(p).Quota; !limited || n > quota {
			n = quota
		}
		capacity[p], usd[p] = int32(n), m.Cost(p, from, to)
	}
	g.from, g.to, g.capacity, g.usd = append(g.from, from), append(g.to, to), append(g.capacity, capacity), append(g.usd, usd)
}

// distinct returns no cluster, those asked for, and one instance of each pool.
func (g *grid) distinct(clusters []bound.Cluster) []bound.Cluster {
	out := []bound.Cluster{{Workers: make([]int32, g.pools)}}
	for p := range g.pools {
		one := make([]int32, g.pools)
		one[p] = 1
		clusters = append(clusters, bound.Cluster{Workers: one, Servers: 1})
	}
	for _, x := range clusters {
		if len(out) < maxClusters && !slices.ContainsFunc(out, func(o bound.Cluster) bool { return slices.Equal(o.Workers, x.Workers) }) {
			out = append(out, x)
		}
	}
	return out
}

// pairs works out what two clusters have in common, and how long the second takes to boot
// after the first.
func (g *grid) pairs(rate func([]int32, int32) float64) {
	common := make([]int32, g.pools)
	for i := range g.clusters {
		low, wait := make([]float64, len(g.clusters)), make([]float64, len(g.clusters))
		for k := range g.clusters {
			a, b := &g.clusters[i], &g.clusters[k]
			for p := range common {
				common[p] = min(a.workers[p], b.workers[p])
				if b.workers[p] > a.workers[p] {
					wait[k] = max(wait[k], g.boot[p])
				}
			}
			low[k] = rate(common, max(b.servers, 1))
		}
		g.low, g.wait = append(g.low, low), append(g.wait, wait)
	}
}
