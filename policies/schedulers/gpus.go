package schedulers

import (
	"math/bits"
	"slices"

	"github.com/marigram/marigram/sim"
)

// gpus is what a queue knows of the GPUs of a cluster, without what is rented on demand unless it rents: the book of
// what is free, the part on which each job runs, and which pools may not grant what their quotas allow.
type gpus struct {
	book
	rents   bool // pools on demand are pools like others, each type a model of its own
	quota   []int
	partOf  []int32 // by job
	rented  []bool  // by pool: on demand, and not for jobs of the queue
	models  [][]int // pools by model of GPU
	all     int     // GPUs of the cluster, on demand only where there are no others
	tiers   [][]int32
	spot    spotPools
	left    headroom
	servers []int // scratch
	chosen  []int // scratch
	closest Closeness
	layout  sim.Layout // scratch
	runs    []bool     // scratch, by model
}

// setUp makes g the whole cluster, unless it is one already.
func (g *gpus) setUp(v sim.View) {
	if len(g.free) > 0 {
		return
	}
	pools := v.Pools()
	g.free = make([]int, pools)
	g.rack = make([]int32, pools)
	g.rented = make([]bool, pools)
	rack := int32(-1)
	for p := range pools {
		pool := v.Pool(p)
		if p == 0 || pool.Region != v.Pool(p-1).Region {
			rack++
		}
		g.rack[p] = rack
		g.rented[p] = pool.OnDemand && !g.rents
		if g.rented[p] {
			continue
		}
		g.free[p] = pool.Quota
		g.total += pool.Quota
		model := slices.IndexFunc(g.models, func(pools []int) bool {
			other := v.Pool(pools[0])
			return other.GPU == pool.GPU && other.InstanceType == pool.InstanceType &&
				(!g.rents || other.OnDemand == pool.OnDemand && other.IsServer() == pool.IsServer())
		})
		if model < 0 {
			model = len(g.models)
			g.models = append(g.models, nil)
		}
		g.models[model] = append(g.models[model], p)
		if !pool.OnDemand {
			g.all += pool.Quota
		}
	}
	g.tiers = v.Tiers()
	g.quota = slices.Clone(g.free)
	g.addPart(nil)
	if g.all == 0 {
		g.all = g.total
	}
	g.spot.setUp(v, g.rents)
}

// clone returns a copy for a fork.
func (g *gpus) clone() gpus {
	c := *g
	c.free = slices.Clone(g.free)
	c.partOf = slices.Clone(g.partOf)
	c.parts = slices.Clone(g.parts)
	for k := range c.parts {
		c.parts[k].racks = slices.Clone(g.parts[k].racks)
		c.parts[k].tree = slices.Clone(g.parts[k].tree)
	}
	c.spot = g.spot.clone()
	c.servers = nil
	c.chosen = nil
	c.closest = Closeness{}
	c.layout = sim.Layout{}
	c.runs = nil
	c.left = headroom{}
	return c
}

// empty is what gpus is at first, in the memory of this one.
func (g *gpus) empty() gpus { return gpus{partOf: g.partOf[:0]} }

// freeAll frees what the plan gives job j.
func (g *gpus) freeAll(plan *sim.Plan, j int) {
	for _, part := range plan.Parts(j) {
		if !g.rented[part.Pool] {
			g.add(int(part.Pool), int(part.N))
		}
	}
}

// stop takes the GPUs of a job, which are free again.
func (g *gpus) stop(plan *sim.Plan, j int) {
	g.freeAll(plan, j)
	plan.Stop(j)
}

// take gives a job n GPUs of pool p.
func (g *gpus) take(plan *sim.Plan, j, p, n int) {
	g.book.take(plan, j, p, n)
	if g.spot.is[p] {
		plan.AskAgain() // a full pool is noticed at once
	}
}

// addPart adds the part of some models, nil: all.
func (g *gpus) addPart(runs []bool) {
	pools := len(g.free)
	cluster := part{
		runs:  slices.Clone(runs),
		on:    make([]bool, pools),
		tree:  make([]int32, 2<<bits.Len(uint(pools-1))),
		racks: make([]rack, 1+g.rack[pools-1]),
	}
	for m, of := range g.models {
		if runs == nil || runs[m] {
			cluster.pools = append(cluster.pools, of...)
		}
	}
	slices.Sort(cluster.pools)
	for p := range pools {
		r := &cluster.racks[g.rack[p]]
		if r.end == 0 {
			r.first = p
		}
		r.end = p + 1
	}
	for _, p := range cluster.pools {
		cluster.on[p] = true
		cluster.gpus += g.quota[p]
		cluster.large = max(cluster.large, g.quota[p])
	}
	for _, p := range cluster.pools {
		cluster.change(p, int(g.rack[p]), 0, g.free[p])
	}
	g.parts = append(g.parts, cluster)
}

// meet notes a job that was submitted, with what the plan gives it already where the scheduler takes a cluster over,
// and returns what it is in a queue.
func (g *gpus) meet(v sim.View, plan *sim.Plan, j int, where Placement) kind {
	for _, part := range plan.Parts(j) {
		if !g.rented[part.Pool] {
			g.add(int(part.Pool), -int(part.N))
		}
	}
	for len(g.partOf) <= j {
		g.partOf = append(g.partOf, 0)
	}
	model := gang(v, j)
	k := kind{gang: model.Gang()}
	if len(g.models) > 1 || slices.Contains(g.rented, true) {
		k.part = g.findPart(model, nil)
	}
	g.partOf[j] = int32(k.part)
	k.never = !g.parts[k.part].holds(g.quota, k.gang, where)
	return k
}

// findPart returns the part of the cluster on which a job runs, of some models of GPU; nil: of all.
func (g *gpus) findPart(model sim.GangModel, of []bool) int {
	g.runs = g.runs[:0]
	for m, pools := range g.models {
		g.runs = append(g.runs, (of == nil || of[m]) && g.runsOn(model, pools[0]))
	}
	if !slices.Contains(g.runs, false) {
		return 0
	}
	isSame := func(x part) bool { return x.runs != nil && slices.Equal(x.runs, g.runs) }
	at := slices.IndexFunc(g.parts, isSame)
	if at < 0 {
		at = len(g.parts)
		g.addPart(g.runs)
	}
	return at
}

// runsOn reports whether a job runs on the GPUs of a pool.
func (g *gpus) runsOn(model sim.GangModel, p int) bool {
	return SpeedIn(&g.layout, model, p) > 0
}

// place gives a gang its GPUs, of the part of the cluster on which it runs, and reports whether they were free.
func (g *gpus) place(plan *sim.Plan, j, gang int, where Placement) bool {
	cluster := &g.parts[g.partOf[j]]
	if gang > cluster.free {
		return false
	}
	switch where {
	case Closest:
		g.takeClosest(plan, j, gang, cluster.pools)
		return true
	case Consolidated:
		return g.placeConsolidated(plan, cluster, j, gang)
	}
	for gang > 0 {
		p := cluster.first(1)
		taken := min(gang, g.free[p])
		g.take(plan, j, p, taken)
		gang -= taken
	}
	return true
}

// placeConsolidated gives a gang GPUs of one server, or of several at one switch, and reports whether they were free.
func (g *gpus) placeConsolidated(plan *sim.Plan, cluster *part, j, gang int) bool {
	if gang <= cluster.large {
		p := cluster.first(gang)
		if p >= 0 {
			g.take(plan, j, p, gang)
		}
		return p >= 0
	}
	for r := range cluster.racks {
		if cluster.racks[r].whole >= gang/cluster.large && g.placeAtSwitch(plan, cluster, &cluster.racks[r], j, gang) {
			return true
		}
	}
	return false
}

// takeClosest gives a gang n of the free GPUs of some pools, as close together as they are.
func (g *gpus) takeClosest(plan *sim.Plan, j, n int, pools []int) {
	for _, part := range g.closest.Choose(g.tiers, pools, g.free, n) {
		g.take(plan, j, int(part.Pool), int(part.N))
	}
}

// placeAtSwitch places a gang of several servers at one switch, where enough are entirely free.
func (g *gpus) placeAtSwitch(plan *sim.Plan, cluster *part, r *rack, j, gang int) bool {
	servers := gang / cluster.large
	rest := gang % cluster.large
	g.servers = g.servers[:0]
	restAt := none
	for p := r.first; p < r.end; p++ {
		if !cluster.on[p] {
			continue
		}
		if len(g.servers) < servers && g.free[p] == cluster.large {
			g.servers = append(g.servers, p)
		} else if restAt == none && rest > 0 && g.free[p] >= rest {
			restAt = p
		}
	}
	if rest > 0 && restAt == none {
		return false
	}
	for _, p := range g.servers {
		g.take(plan, j, p, cluster.large)
	}
	if rest > 0 {
		g.take(plan, j, restAt, rest)
	}
	return true
}
