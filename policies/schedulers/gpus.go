package schedulers

import (
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
	free, quota  []int
	parts        []part  // of the cluster on which jobs run; the first is all of it
	of           []int32 // by job: its part
	at           []int32 // by pool: its rack
	rented       []bool  // by pool: on demand
	models       [][]int // pools by model of GPU
	whole, chose []int   // scratch
	spot         spotRoom
	tiers        [][]int32
	closest      closest
	layout       sim.Layout
	runs         []bool // scratch, by model
	left         headroom
	all          int // GPUs of the cluster
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
	g.free, g.at, g.rented = make([]int, n), make([]int32, n), make([]bool, n)
	rack := int32(-1)
	for p := range n {
		x := v.Pool(p)
		if p == 0 || x.Region != v.Pool(p-1).Region {
			rack++
		}
		g.at[p] = rack
		if g.rented[p] = x.OnDemand; g.rented[p] {
			continue
		}
		g.free[p] = x.Quota
		m := slices.IndexFunc(g.models, func(pools []int) bool {
			y := v.Pool(pools[0])
			return y.GPU == x.GPU && y.InstanceType == x.InstanceType
		})
		if m < 0 {
			m, g.models = len(g.models), append(g.models, nil)
		}
		g.models[m] = append(g.models[m], p)
	}
	g.tiers, g.quota = v.Tiers(), slices.Clone(g.free)
	g.addPart(nil)
	g.all = g.total()
	g.spot.setUp(v)
}

// clone returns a copy for a fork.
func (g *gpus) clone() gpus {
	c := *g
	c.free, c.of, c.parts, c.whole, c.chose = slices.Clone(g.free), slices.Clone(g.of), slices.Clone(g.parts), nil, nil
	for k := range c.parts {
		c.parts[k].racks, c.parts[k].max = slices.Clone(g.parts[k].racks), slices.Clone(g.parts[k].max)
	}
	c.spot, c.closest, c.layout, c.runs, c.left = g.spot.clone(), closest{}, sim.Layout{}, nil, headroom{}
	return c
}

// total is how many GPUs are free.
func (g *gpus) total() int { return g.parts[0].free }

// add makes n more GPUs of pool p free, fewer if n is below 0.
func (g *gpus) add(p, n int) {
	was := g.free[p]
	g.free[p] += n
	for k := range g.parts {
		if x := &g.parts[k]; x.on[p] {
			x.change(p, int(g.at[p]), was, g.free[p])
		}
	}
}

// back frees what the plan gives job j.
func (g *gpus) back(plan *sim.Plan, j int) {
	for _, x := range plan.Parts(j) {
		if p := int(x.Pool); !g.rented[p] {
			g.add(p, int(x.N))
		}
	}
}

// take gives n GPUs of pool p.
func (g *gpus) take(plan *sim.Plan, j, p, n int) {
	plan.Place(j, p, n)
	g.add(p, -n)
	if g.spot.is != nil && g.spot.is[p] {
		plan.AskAgain() // a pool without room is seen at once
	}
}
