package cluster

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// Placement says which GPUs a gang may have.
type Placement string

// The placements; the empty one is Anywhere.
const (
	// Anywhere takes GPUs where they are free, in the order of the pools.
	Anywhere Placement = "anywhere"
	// Consolidated keeps a gang that fits into a server on one, the first with room. A
	// larger one gets as many entirely free servers as it fills, and for the rest the first
	// other server with room, all at one switch, else nothing (YARN's capacity scheduler,
	// as in Tiresias's simulator).
	Consolidated Placement = "consolidated"
)

// gpus is what is free in every pool.
type gpus struct {
	free  []int
	total int // of all pools
	large int // GPUs of the largest server

	whole, chose []int // scratch
}

// count sets g to what the plan leaves free.
func (g *gpus) count(v sim.View, plan *sim.Plan) {
	g.empty(v)
	for _, j := range v.ActiveJobs() {
		for p, n := range plan.Jobs[j].Hold {
			if !v.Pool(p).OnDemand {
				g.free[p] -= n
				g.total -= n
			}
		}
	}
}

// empty sets g to the whole cluster, without what is rented on demand.
func (g *gpus) empty(v sim.View) {
	g.free, g.total, g.large = g.free[:0], 0, 0
	for p := range v.Pools() {
		n := 0
		if !v.Pool(p).OnDemand {
			n = v.Pool(p).Quota
		}
		g.free = append(g.free, n)
		g.total += n
		g.large = max(g.large, n)
	}
}

// place gives a gang its GPUs, and reports whether they were free.
func (g *gpus) place(v sim.View, hold []int, gang int, where Placement) bool {
	if gang > g.total {
		return false
	}
	if where != Consolidated {
		for p := range hold {
			g.take(hold, p, min(gang-held(hold), g.free[p]))
		}
		return true
	}
	if gang <= g.large {
		for p := range hold {
			if g.free[p] >= gang {
				g.take(hold, p, gang)
				return true
			}
		}
		return false
	}
	for p := range hold {
		if first := p == 0 || v.Pool(p).Region != v.Pool(p-1).Region; first && g.atSwitch(v, p, hold, gang) {
			return true
		}
	}
	return false
}

// atSwitch places a gang of several servers at the switch whose first server is p.
func (g *gpus) atSwitch(v sim.View, p int, hold []int, gang int) bool {
	region, servers, rest := v.Pool(p).Region, gang/g.large, gang%g.large
	g.whole = g.whole[:0]
	end := p
	for ; end < len(hold) && v.Pool(end).Region == region; end++ {
		if len(g.whole) < servers && g.free[end] == g.large {
			g.whole = append(g.whole, end)
		}
	}
	if len(g.whole) < servers {
		return false
	}
	at := -1
	for q := p; q < end && at < 0 && rest > 0; q++ {
		if g.free[q] >= rest && !contains(g.whole, q) {
			at = q
		}
	}
	if rest > 0 && at < 0 {
		return false
	}
	for _, q := range g.whole {
		g.take(hold, q, g.large)
	}
	if rest > 0 {
		g.take(hold, at, rest)
	}
	return true
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// take gives n GPUs of pool p.
func (g *gpus) take(hold []int, p, n int) {
	hold[p] += n
	g.free[p] -= n
	g.total -= n
}

// held is the number of GPUs that a job holds by its plan.
func held(hold []int) int {
	n := 0
	for _, k := range hold {
		n += k
	}
	return n
}

// gang returns what a job is, and panics if it is none that a cluster can run.
func gang(v sim.View, j int) sim.GangModel {
	g, ok := v.Job(j).Model().(sim.GangModel)
	if !ok {
		panic("cluster: a job without a gang (sim.GangModel)")
	}
	return g
}

// left is the work that a job has still to do.
func left(v sim.View, j int, g sim.GangModel) float64 {
	if loss := v.Job(j).Loss(); !math.IsInf(loss, 1) {
		return loss
	}
	return g.Work()
}

// back counts the GPUs that a job holds as free again.
func (g *gpus) back(hold []int) {
	for p, n := range hold {
		g.free[p] += n
		g.total += n
	}
}

// has reports whether so many GPUs of every pool are free.
func (g *gpus) has(hold []int) bool {
	for p, n := range hold {
		if n > g.free[p] {
			return false
		}
	}
	return true
}

// onOne gives n GPUs of the first server that has them.
func (g *gpus) onOne(hold []int, n int) bool {
	for p := range g.free {
		if g.free[p] >= n {
			g.take(hold, p, n)
			return true
		}
	}
	return false
}

// rack returns the servers of the first rack with n free GPUs, none if there is no such rack, and the GPUs of the
// largest rack. Servers of a rack follow one another.
func (g *gpus) rack(v sim.View, n int) (first, last, largest int) {
	for p := 0; p < len(g.free); {
		q, free, all := p, 0, 0
		for ; q < len(g.free) && v.Pool(q).Region == v.Pool(p).Region; q++ {
			free += g.free[q]
			if !v.Pool(q).OnDemand {
				all += v.Pool(q).Quota
			}
		}
		largest = max(largest, all)
		if free >= n && last == first {
			first, last = p, q
		}
		p = q
	}
	return first, last, largest
}

// fill gives n GPUs of a row of servers, which has them, where they are free first.
func (g *gpus) fill(hold []int, first, last, n int) {
	for p := first; p < last && n > 0; p++ {
		k := min(n, g.free[p])
		g.take(hold, p, k)
		n -= k
	}
}
