package schedulers

import (
	"math/bits"
	"slices"

	"github.com/marigram/marigram/sim"
)

// part is the pools of a cluster on which some jobs run, those of some models of GPU: a scheduler that does not look at how
// fast a job is on a model still may not place it where it does not run.
type part struct {
	runs  []bool  // by model; nil: on all
	on    []bool  // by pool
	pools []int   // of it
	gpus  int     // of them
	free  int     // of these
	large int     // GPUs of the largest server
	racks []rack  // by number
	max   []int32 // a tree over pools: the most that is free of one; most[1] is of all
}

// addPart adds the part of some models, nil: all.
func (g *gpus) addPart(runs []bool) {
	n := len(g.free)
	x := part{runs: slices.Clone(runs), on: make([]bool, n), max: make([]int32, 2<<bits.Len(uint(n-1)))}
	for m, pools := range g.models {
		if runs == nil || runs[m] {
			x.pools = append(x.pools, pools...)
		}
	}
	slices.Sort(x.pools)
	x.racks = make([]rack, 1+g.at[n-1])
	for p := range n {
		if r := &x.racks[g.at[p]]; r.end == 0 {
			r.first, r.end = p, p+1
		} else {
			r.end = p + 1
		}
	}
	for _, p := range x.pools {
		x.on[p] = true
		x.gpus, x.large = x.gpus+g.quota[p], max(x.large, g.quota[p])
	}
	for _, p := range x.pools {
		x.change(p, int(g.at[p]), 0, g.free[p])
	}
	g.parts = append(g.parts, x)
}

// change counts what is free of a pool.
func (x *part) change(p, at, was, now int) {
	if was == now {
		return
	}
	x.free += now - was
	if was == x.large {
		x.racks[at].whole--
	}
	if now == x.large {
		x.racks[at].whole++
	}
	k := len(x.max)/2 + p
	x.max[k] = int32(now)
	for k > 1 {
		k /= 2
		x.max[k] = max(x.max[2*k], x.max[2*k+1])
	}
}

// first returns the first pool with so many free GPUs, above 0; -1 if there is none.
func (x *part) first(n int) int {
	if int(x.max[1]) < n {
		return -1
	}
	k := 1
	for k < len(x.max)/2 {
		if k *= 2; int(x.max[k]) < n {
			k++
		}
	}
	return k - len(x.max)/2
}

// holds reports whether the part could have a gang if nothing else ran there.
func (x *part) holds(quota []int, gang int, where Placement) bool {
	if where != Consolidated || gang <= x.large {
		return gang <= x.gpus
	}
	if x.large == 0 {
		return false // all of it is rented
	}
	servers, rest := gang/x.large, gang%x.large
	for _, r := range x.racks {
		whole, enough := 0, 0
		for p := r.first; p < r.end; p++ {
			if x.on[p] && quota[p] == x.large {
				whole++
			}
			if x.on[p] && quota[p] >= rest {
				enough++
			}
		}
		if whole >= servers && (rest == 0 || enough > servers) {
			return true
		}
	}
	return false
}

// meet notes a job that was submitted, with what the plan gives it already where the scheduler takes a cluster over, and returns what it is
// in a queue.
func (g *gpus) meet(v sim.View, plan *sim.Plan, j int, where Placement) kind {
	for _, x := range plan.Parts(j) {
		if p := int(x.Pool); !g.rented[p] {
			g.add(p, -int(x.N))
		}
	}
	for len(g.of) <= j {
		g.of = append(g.of, 0)
	}
	model := gang(v, j)
	k := kind{gang: model.Gang()}
	if len(g.models) > 1 || slices.Contains(g.rented, true) {
		k.part = g.partOf(model)
	}
	g.of[j] = int32(k.part)
	k.never = !g.parts[k.part].holds(g.quota, k.gang, where)
	return k
}

// partOf returns the part of the cluster on which a job runs.
func (g *gpus) partOf(model sim.GangModel) int {
	g.runs = g.runs[:0]
	all := true
	for _, pools := range g.models {
		runs := g.runsOn(model, pools[0])
		g.runs, all = append(g.runs, runs), all && runs
	}
	if all {
		return 0
	}
	at := slices.IndexFunc(g.parts, func(x part) bool { return x.runs != nil && slices.Equal(x.runs, g.runs) })
	if at < 0 {
		at = len(g.parts)
		g.addPart(g.runs)
	}
	return at
}

// runsOn reports whether a job runs on the GPUs of a pool.
func (g *gpus) runsOn(model sim.GangModel, p int) bool {
	return speedIn(&g.layout, model, p) > 0
}
