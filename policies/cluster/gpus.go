package cluster

import (
	"math"
	"math/bits"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Placement says which GPUs a gang may have.
type Placement string

// The placements; the empty one is Anywhere (of Rounds, FewServers).
const (
	// Anywhere takes GPUs where they are free, in the order of the pools.
	Anywhere Placement = "anywhere"
	// Consolidated keeps a gang that fits into a server on one, the first with room. A
	// larger one gets as many entirely free servers as it fills, and for the rest the first
	// other server with room, all at one switch, else nothing (YARN's capacity scheduler,
	// as in Tiresias's simulator).
	Consolidated Placement = "consolidated"
	// Closest takes the GPUs that are closest together: of one server, of one rack, or of one place of the narrowest
	// tier above it that has enough. It never waits for better ones.
	Closest Placement = "closest"
	// FewServers takes the first server with enough free GPUs, else the servers with most.
	FewServers Placement = "few-servers"
)

// gpus is what is free in every pool, without what is rented on demand: a scheduler keeps it
// from decision to decision.
type gpus struct {
	free         []int
	total        int // free, of all pools
	large        int // GPUs of the largest server
	racks        []rack
	at           []int32 // by pool: its rack
	rented       []bool  // by pool: on demand
	most         []int32 // a tree over pools: the most that is free of one; most[1] is of all
	whole, chose []int   // scratch
	spot         spotRoom
	tiers        [][]int32
	pools        []int // that are not rented on demand
	closest      closest
}

// rack is the pools at one switch, which follow one another.
type rack struct {
	first, end int
	whole      int // servers as large as the largest that are entirely free
}

// setUp makes g the whole cluster, unless it is one already.
func (g *gpus) setUp(v sim.View) {
	if len(g.free) > 0 {
		return
	}
	n := v.Pools()
	leaves := 1 << bits.Len(uint(n-1))
	g.free, g.at, g.rented, g.most = make([]int, n), make([]int32, n), make([]bool, n), make([]int32, 2*leaves)
	for p := range n {
		if !v.Pool(p).OnDemand {
			g.large = max(g.large, v.Pool(p).Quota)
		}
	}
	for p := range n {
		if p == 0 || v.Pool(p).Region != v.Pool(p-1).Region {
			g.racks = append(g.racks, rack{first: p})
		}
		g.at[p] = int32(len(g.racks) - 1)
		g.racks[g.at[p]].end = p + 1
		if g.rented[p] = v.Pool(p).OnDemand; !g.rented[p] {
			g.pools = append(g.pools, p)
			g.add(p, v.Pool(p).Quota)
		}
	}
	g.tiers = v.Tiers()
	g.spot.setUp(v)
}

// clone returns a copy for a fork.
func (g *gpus) clone() gpus {
	c := *g
	c.free, c.racks, c.most, c.whole, c.chose = slices.Clone(g.free), slices.Clone(g.racks), slices.Clone(g.most), nil, nil
	c.spot, c.closest = g.spot.clone(), closest{}
	return c
}

// add makes n more GPUs of pool p free, fewer if n is below 0.
func (g *gpus) add(p, n int) {
	r := &g.racks[g.at[p]]
	if g.free[p] == g.large && n != 0 {
		r.whole--
	}
	g.free[p] += n
	g.total += n
	if g.free[p] == g.large && n != 0 {
		r.whole++
	}
	k := len(g.most)/2 + p
	g.most[k] = int32(g.free[p])
	for k > 1 {
		k /= 2
		g.most[k] = max(g.most[2*k], g.most[2*k+1])
	}
}

// first returns the first pool with so many free GPUs, above 0; -1 if there is none.
func (g *gpus) first(n int) int {
	if int(g.most[1]) < n {
		return -1
	}
	k := 1
	for k < len(g.most)/2 {
		if k *= 2; int(g.most[k]) < n {
			k++
		}
	}
	return k - len(g.most)/2
}

// back frees what the plan gives job j.
func (g *gpus) back(plan *sim.Plan, j int) {
	for _, x := range plan.Parts(j) {
		if p := int(x.Pool); !g.rented[p] {
			g.add(p, int(x.N))
		}
	}
}

// place gives a gang its GPUs, and reports whether they were free.
func (g *gpus) place(plan *sim.Plan, j, gang int, where Placement) bool {
	if gang > g.total {
		return false
	}
	if where == Closest {
		for _, x := range g.closest.choose(g.tiers, g.pools, g.free, gang) {
			g.take(plan, j, int(x.Pool), int(x.N))
		}
		return true
	}
	if where != Consolidated {
		for gang > 0 {
			p := g.first(1)
			n := min(gang, g.free[p])
			g.take(plan, j, p, n)
			gang -= n
		}
		return true
	}
	if gang <= g.large {
		p := g.first(gang)
		if p >= 0 {
			g.take(plan, j, p, gang)
		}
		return p >= 0
	}
	for r := range g.racks {
		if g.racks[r].whole >= gang/g.large && g.atSwitch(plan, &g.racks[r], j, gang) {
			return true
		}
	}
	return false
}

// atSwitch places a gang of several servers at one switch, where enough are entirely free.
func (g *gpus) atSwitch(plan *sim.Plan, r *rack, j, gang int) bool {
	servers, rest := gang/g.large, gang%g.large
	g.whole = g.whole[:0]
	at := -1
	for p := r.first; p < r.end; p++ {
		switch {
		case len(g.whole) < servers && g.free[p] == g.large:
			g.whole = append(g.whole, p)
		case at < 0 && rest > 0 && g.free[p] >= rest:
			at = p
		}
	}
	if rest > 0 && at < 0 {
		return false
	}
	for _, p := range g.whole {
		g.take(plan, j, p, g.large)
	}
	if rest > 0 {
		g.take(plan, j, at, rest)
	}
	return true
}

// take gives n GPUs of pool p.
func (g *gpus) take(plan *sim.Plan, j, p, n int) {
	plan.Place(j, p, n)
	g.add(p, -n)
	if g.spot.is != nil && g.spot.is[p] {
		plan.AskAgain() // a pool without room is seen at once
	}
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
