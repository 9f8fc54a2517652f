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

// seconds returns the length of a step.
func (g *grid) seconds(step int) float64 { return g.to[step].Sub(g.from[step]).Seconds() }

// cost returns what a cluster costs in a step, USD.
func (g *grid) cost(c *cluster, step int) float64 {
	sum := c.fixed * g.seconds(step)
	for p, n := range c.workers {
		sum += float64(n) * g.usd[step][p]
	}
	return sum
}

// choice is the best way to be on a cluster in a step: the cluster before, and whether that is kept while the new one
// boots.
type choice struct {
	value  float64
	before int
	both   bool
}

// best returns the schedule with the least cost less lambda times its progress.
func (g *grid) best(lambda float64) schedule {
	choices := make([][]choice, len(g.from))
	last := make([]choice, len(g.clusters))
	for i := range last {
		last[i].value = math.Inf(1)
	}
	last[0].value = 0
	for step := range choices {
		now := make([]choice, len(g.clusters))
		for to := range now {
			now[to] = g.choose(lambda, step, to, last)
		}
		choices[step] = now
		last = now
	}
	at := 0
	for i := range last {
		if last[i].value < last[at].value {
			at = i
		}
	}
	path := make([]int, len(choices))
	both := make([]bool, len(choices))
	for step := len(choices) - 1; step >= 0; step-- {
		path[step] = at
		both[step] = choices[step][at].both
		at = choices[step][at].before
	}
	return g.schedule(path, both)
}

// choose returns the best way to be on a cluster in a step, by those of the step before.
func (g *grid) choose(lambda float64, step, to int, last []choice) choice {
	c := &g.clusters[to]
	best := choice{value: math.Inf(1)}
	if !g.fits(c, step) {
		return best
	}
	for from := range last {
		if last[from].value >= best.value {
			continue
		}
		usd, both := g.change(lambda, step, from, to)
		value := last[from].value + usd
		if value < best.value {
			best = choice{value, from, both}
		}
	}
	best.value += g.cost(c, step) - lambda*c.rate*g.seconds(step)
	return best
}

// change returns what it costs to go from one cluster to another at the beginning of a step, and whether the first is
// better kept until the second has booted.
func (g *grid) change(lambda float64, step, from, to int) (usd float64, both bool) {
	wait := g.wait[from][to]
	if from == to || wait == 0 {
		return 0, false
	}
	first := &g.clusters[from]
	second := &g.clusters[to]
	usd = lambda * wait * (second.rate - g.low[from][to])
	kept := lambda * wait * (second.rate - first.rate)
	for p, n := range first.workers {
		if n > g.capacity[step][p] {
			return usd, false
		}
		kept += float64(max(n-second.workers[p], 0)) * g.usd[step][p] / g.seconds(step) * wait
	}
	if kept < usd {
		return kept, true
	}
	return usd, false
}

// schedule writes down the clusters of all steps.
func (g *grid) schedule(path []int, both []bool) schedule {
	var out schedule
	for s, now := range path {
		last := 0
		if s > 0 {
			last = path[s-1]
		}
		if now == last && s > 0 {
			continue
		}
		c := &g.clusters[now]
		if !both[s] {
			out = append(out, step{g.from[s], c.workers, c.servers})
			continue
		}
		before := &g.clusters[last]
		held := make([]int32, g.pools)
		for p := range held {
			held[p] = max(c.workers[p], before.workers[p])
		}
		out = append(out, step{g.from[s], held, c.servers})
		until := g.from[s].After(g.wait[last][now])
		next := s + 1
		for next < len(path) && path[next] == now {
			next++
		}
		if next == len(path) || g.from[next] > until {
			out = append(out, step{until, c.workers, c.servers})
		}
	}
	return out
}
