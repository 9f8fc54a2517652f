package clairvoyant

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// grid is the time of a job in steps without changes of prices or capacity, and the
// clusters that it may hold in them; the first is none.
type grid struct {
	pools    int
	from, to []sim.Time
	capacity [][]int32   // by step and pool
	usd      [][]float64 // by step and pool, USD of an instance in the whole step
	boot     []float64   // by pool, seconds

	clusters []cluster
	low      [][]float64 // by clusters: progress per second of what both have
	wait     [][]float64 // by clusters: seconds until the second has booted after the first
}

type cluster struct {
	workers []int32
	servers int32
	rate    float64 // progress per second
	fixed   float64 // of its servers, USD per second
}

// fits reports whether a step has room for a cluster.
func (g *grid) fits(c *cluster, step int) bool {
	for p, n := range c.workers {
		if n > g.capacity[step][p] {
			return false
		}
	}
	return true
}

// cost returns what a cluster costs in a step, USD.
func (g *grid) cost(c *cluster, step int) float64 {
	sum := c.fixed * g.to[step].Sub(g.from[step]).Seconds()
	for p, n := range c.workers {
		sum += float64(n) * g.usd[step][p]
	}
	return sum
}

// choice is the best way to be on a cluster in a step: the cluster before, and whether
// that is kept while the new one boots.
type choice struct {
	value  float64
	before int
	both   bool
}

// best returns the schedule with the least cost less lambda times its progress.
func (g *grid) best(lambda float64) schedule {
	n := len(g.clusters)
	all := make([][]choice, len(g.from))
	last := make([]choice, n)
	for i := range last {
		last[i].value = math.Inf(1)
	}
	last[0].value = 0
	for s := range all {
		now := make([]choice, n)
		seconds := g.to[s].Sub(g.from[s]).Seconds()
		for i := range now {
			c := &g.clusters[i]
			now[i].value = math.Inf(1)
			if !g.fits(c, s) {
				continue
			}
			for k := range last {
				if last[k].value >= now[i].value {
					continue
				}
				lost, both := g.change(lambda, s, k, i)
				if v := last[k].value + lost; v < now[i].value {
					now[i] = choice{v, k, both}
				}
			}
			now[i].value += g.cost(c, s) - lambda*c.rate*seconds
		}
		all[s], last = now, now
	}
	at := 0
	for i := range last {
		if last[i].value < last[at].value {
			at = i
		}
	}
	path := make([]int, len(all))
	both := make([]bool, len(all))
	for s := len(all) - 1; s >= 0; s-- {
		path[s], both[s] = at, all[s][at].both
		at = all[s][at].before
	}
	return g.schedule(path, both)
}

// change returns what it costs to go from one cluster to another at the beginning of a
// step, and whether the first is better kept until the second has booted.
func (g *grid) change(lambda float64, step, from, to int) (usd float64, both bool) {
	if from == to || g.wait[from][to] == 0 {
		return 0, false
	}
	a, b, wait := &g.clusters[from], &g.clusters[to], g.wait[from][to]
	usd = lambda * wait * (b.rate - g.low[from][to])
	kept := lambda * wait * (b.rate - a.rate)
	seconds := g.to[step].Sub(g.from[step]).Seconds()
	for p, n := range a.workers {
		if n > g.capacity[step][p] {
			return usd, false
		}
		kept += float64(max(n-b.workers[p], 0)) * g.usd[step][p] / seconds * wait
	}
	if kept < usd {
		return kept, true
	}
	return usd, false
}

// schedule writes down the clusters of all steps.
func (g *grid) schedule(path []int, both []bool) schedule {
	var out schedule
	for s, k := range path {
		last := 0
		if s > 0 {
			last = path[s-1]
		}
		if k == last && s > 0 {
			continue
		}
		c, before := &g.clusters[k], &g.clusters[last]
		if !both[s] {
			out = append(out, step{g.from[s], c.workers, c.servers})
			continue
		}
		held := make([]int32, g.pools)
		for p := range held {
			held[p] = max(c.workers[p], before.workers[p])
		}
		out = append(out, step{g.from[s], held, c.servers})
		until, next := g.from[s].After(g.wait[last][k]), s+1
		for next < len(path) && path[next] == k {
			next++
		}
		if next == len(path) || g.from[next] > until {
			out = append(out, step{until, c.workers, c.servers})
		}
	}
	return out
}
