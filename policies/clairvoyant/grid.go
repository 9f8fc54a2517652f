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
	job := &c.Jobs[0]
	g := &grid{pools: c.Market.Pools()}
	for p := range g.pools {
		g.boot = append(g.boot, c.Market.Pool(p).Boot.Mean().Seconds())
	}
	longest := cuts[len(cuts)-1].Sub(cuts[0]) / minSteps
	for i, from := range cuts[:len(cuts)-1] {
		span := cuts[i+1] - from
		steps := sim.Time(max((cuts[i+1].Sub(from)+longest-1)/longest, 1))
		for k := range steps {
			g.addStep(c.Market, from+span*k/steps, from+span*(k+1)/steps)
		}
	}
	price := job.ParameterServerPrice / 3600
	if c.Billing.SkipParameterServers {
		price = 0
	}
	rate := func(workers []int32, servers int32) float64 {
		return c.Pace() * job.Model.Rate(&sim.Layout{Workers: workers, Servers: servers}).Progress
	}
	for _, c := range g.distinct(clusters) {
		paid := price * float64(c.Servers)
		g.clusters = append(g.clusters, cluster{c.Workers, c.Servers, rate(c.Workers, c.Servers), paid})
	}
	g.comparePairs(rate)
	return g
}

// addStep adds a step, in which nothing changes.
func (g *grid) addStep(m *sim.Market, from, to sim.Time) {
	capacity := make([]int32, g.pools)
	usd := make([]float64, g.pools)
	for p := range capacity {
		quota := m.Pool(p).Quota
		n, limited := m.Capacity(p, from)
		if !limited || n > quota {
			n = quota
		}
		capacity[p] = int32(n)
		usd[p] = m.Cost(p, from, to)
	}
	g.from = append(g.from, from)
	g.to = append(g.to, to)
	g.capacity = append(g.capacity, capacity)
	g.usd = append(g.usd, usd)
}

// distinct returns no cluster, those asked for, and one instance of each pool.
func (g *grid) distinct(clusters []bound.Cluster) []bound.Cluster {
	out := []bound.Cluster{{Workers: make([]int32, g.pools)}}
	for p := range g.pools {
		one := make([]int32, g.pools)
		one[p] = 1
		clusters = append(clusters, bound.Cluster{Workers: one, Servers: 1})
	}
	for _, c := range clusters {
		isSame := func(other bound.Cluster) bool { return slices.Equal(other.Workers, c.Workers) }
		if len(out) < maxClusters && !slices.ContainsFunc(out, isSame) {
			out = append(out, c)
		}
	}
	return out
}

// comparePairs works out what two clusters have in common, and how long the second takes to boot after the first.
func (g *grid) comparePairs(rate func([]int32, int32) float64) {
	common := make([]int32, g.pools)
	for i := range g.clusters {
		first := &g.clusters[i]
		low := make([]float64, len(g.clusters))
		wait := make([]float64, len(g.clusters))
		for k := range g.clusters {
			second := &g.clusters[k]
			for p := range common {
				common[p] = min(first.workers[p], second.workers[p])
				if second.workers[p] > first.workers[p] {
					wait[k] = max(wait[k], g.boot[p])
				}
			}
			low[k] = rate(common, max(second.servers, 1))
		}
		g.low = append(g.low, low)
		g.wait = append(g.wait, wait)
	}
}
