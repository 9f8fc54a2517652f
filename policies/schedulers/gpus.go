package schedulers

import (
	"math/bits"
	"slices"

	"github.com/marigram/marigram/sim"
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
	spot         spotPools
	tiers        [][]int32
	closest      closest
	layout       sim.Layout
	runs         []bool // scratch, by model
	left         headroom
	all          int // GPUs of the cluster
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
	if g.spot.is[p] {
		plan.AskAgain() // a full pool is noticed at once
	}
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
	return SpeedIn(&g.layout, model, p) > 0
}

// headroom is what is left for jobs that are taken in the order of a scheduler when those before have theirs, whoever holds it at present.
// Where some jobs run on some models of GPU only, so that the cluster has several parts, it is counted by model.
type headroom struct {
	free  []int // by part
	left  []int // by model
	idle  []int // of it, that nobody holds
	takes []int // of the jobs that are to start, by model, one after the other
}

// spotPools is what a queue knows of pools that may not grant what their quotas allow, spot pools before all: GPUs that it counts as free until a
// request is not granted, and again some time later.
type spotPools struct {
	is   []bool     // by pool: it is spot, or a server that fails
	full []sim.Time // by pool: until when it is not asked
	out  []int      // by pool: GPUs that do not count as free so long
	gone int        // of all pools
	outs []int      // the pools with any of them

	lacks         []sim.Part // scratch: GPUs that were asked for and did not come
	lost, instead []sim.Part // scratch: of a job that lost servers, and what it has in their places
}

func (s *spotPools) setUp(v sim.View) {
	n := v.Pools()
	s.is = make([]bool, n)
	s.full = make([]sim.Time, n)
	s.out = make([]int, n)
	for p := range n {
		x := v.Pool(p)
		s.is[p] = !x.Reserved && !x.OnDemand
	}
}

func (s *spotPools) clone() spotPools {
	return spotPools{is: s.is, full: slices.Clone(s.full), out: slices.Clone(s.out), gone: s.gone, outs: slices.Clone(s.outs)}
}

// place gives a gang its GPUs, of the part of the cluster on which it runs, and reports whether they were free.
func (g *gpus) place(plan *sim.Plan, j, gang int, where Placement) bool {
	x := &g.parts[g.of[j]]
	switch {
	case gang > x.free:
		return false
	case where == Closest:
		g.close(plan, j, gang, x.pools)
		return true
	case where != Consolidated:
		for gang > 0 {
			p := x.first(1)
			n := min(gang, g.free[p])
			g.take(plan, j, p, n)
			gang -= n
		}
		return true
	case gang <= x.large:
		p := x.first(gang)
		if p >= 0 {
			g.take(plan, j, p, gang)
		}
		return p >= 0
	}
	for r := range x.racks {
		if x.racks[r].whole >= gang/x.large && g.atSwitch(plan, x, &x.racks[r], j, gang) {
			return true
		}
	}
	return false
}

// close gives a gang n of the free GPUs of some pools, as close together as they are.
func (g *gpus) close(plan *sim.Plan, j, n int, pools []int) {
	for _, x := range g.closest.choose(g.tiers, pools, g.free, n) {
		g.take(plan, j, int(x.Pool), int(x.N))
	}
}

// atSwitch places a gang of several servers at one switch, where enough are entirely free.
func (g *gpus) atSwitch(plan *sim.Plan, x *part, r *rack, j, gang int) bool {
	servers, rest := gang/x.large, gang%x.large
	g.whole = g.whole[:0]
	at := -1
	for p := r.first; p < r.end; p++ {
		switch {
		case !x.on[p]:
		case len(g.whole) < servers && g.free[p] == x.large:
			g.whole = append(g.whole, p)
		case at < 0 && rest > 0 && g.free[p] >= rest:
			at = p
		}
	}
	if rest > 0 && at < 0 {
		return false
	}
	for _, p := range g.whole {
		g.take(plan, j, p, x.large)
	}
	if rest > 0 {
		g.take(plan, j, at, rest)
	}
	return true
}

// watch checks the requests in spot pools and on servers that fail: where they wait, stop takes the GPUs of the job and puts it back into the
// queue, unless other servers are free in place of those that failed. What did not come is not asked for again for a while or, on a server,
// until it is back, and others may have the rest. Where all came it does nothing.
func (g *gpus) watch(v sim.View, plan *sim.Plan, where Placement, stop func(j int)) {
	s := &g.spot
	if s.gone == 0 && !v.AnyWaiting() {
		return
	}
	if v.Trigger()&sim.TriggerRepair != 0 { // a job may start: others that nobody had may have failed
		for p, n := range g.free {
			if n > 0 && v.Down(p) {
				g.takeOut(p, n)
			}
		}
	}
	s.lacks = s.lacks[:0]
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) == 0 || v.Job(j).Waiting() == 0 {
			continue
		}
		s.lost = s.lost[:0]
		for _, x := range plan.Parts(j) {
			if n, _ := v.Waiting(j, int(x.Pool)); n > 0 && !g.rented[x.Pool] {
				s.full[x.Pool] = v.Now().Add(fullAgain)
				s.lacks = append(s.lacks, sim.Part{Pool: x.Pool, N: int32(n)})
				s.lost = append(s.lost, sim.Part{Pool: x.Pool, N: int32(n)})
			}
		}
		if len(s.lost) > 0 && !g.replace(v, plan, j, where) {
			stop(j)
		}
	}
	for _, x := range s.lacks { // the others may have what came
		g.takeOut(int(x.Pool), int(x.N))
	}
	left := s.outs[:0]
	for _, p := range s.outs {
		switch down := v.Down(p); {
		case s.full[p] <= v.Now() && !down:
			n := s.out[p]
			s.out[p], s.gone = 0, s.gone-n
			g.add(p, n)
			continue
		case !down:
			plan.WakeIn(s.full[p].Sub(v.Now()))
		}
		left = append(left, p)
	}
	s.outs = left
}

// takeOut has at most n of the free GPUs of pool p not count as free, until watch has them again.
func (g *gpus) takeOut(p, n int) {
	s := &g.spot
	if n = min(n, g.free[p]); n > 0 && s.out[p] == 0 {
		s.outs = append(s.outs, p)
	}
	s.out[p], s.gone = s.out[p]+n, s.gone+n
	g.add(p, -n)
}

// replace gives job j, which lost servers (spotPools.lost) as they failed, others, and reports whether there were any: else nothing is changed.
// Where it is to be on few servers, each is replaced by one that is as free, in the same rack.
func (g *gpus) replace(v sim.View, plan *sim.Plan, j int, where Placement) bool {
	s, x := &g.spot, &g.parts[g.of[j]]
	s.instead = s.instead[:0]
	for _, lost := range s.lost {
		for left := int(lost.N); left > 0; {
			p := none
			switch {
			case !v.Down(int(lost.Pool)):
			case where == Consolidated && int(lost.N) == x.large && int(lost.N) < gang(v, j).Gang():
				p = g.freeServer(v, x, &x.racks[g.at[lost.Pool]])
			case where == "" || where == Anywhere:
				p = g.freeUp(v, x)
			}
			if p < 0 {
				for _, y := range s.instead {
					g.add(int(y.Pool), int(y.N))
				}
				return false
			}
			n := min(left, g.free[p])
			s.instead = append(s.instead, sim.Part{Pool: int32(p), N: int32(n)})
			g.add(p, -n)
			left -= n
		}
	}
	for _, y := range s.lost {
		plan.Place(j, int(y.Pool), plan.Hold(j, int(y.Pool))-int(y.N))
		g.add(int(y.Pool), int(y.N))
	}
	for _, y := range s.instead {
		plan.Place(j, int(y.Pool), plan.Hold(j, int(y.Pool))+int(y.N))
	}
	plan.AskAgain()
	return true
}

// freeUp returns the first pool with a free GPU that is not down, below 0 if there is none.
func (g *gpus) freeUp(v sim.View, x *part) int {
	p := x.first(1)
	for ; p >= 0 && v.Down(p); p = x.first(1) {
		g.takeOut(p, g.free[p])
	}
	return p
}

// freeServer returns the first server of a rack that is entirely free and not down, below 0 if there is none.
func (g *gpus) freeServer(v sim.View, x *part, r *rack) int {
	for p := r.first; p < r.end && r.whole > 0; p++ {
		if x.on[p] && g.free[p] == x.large && !v.Down(p) {
			return p
		}
	}
	return none
}

// drop takes the GPUs of a job, which are free again.
func (g *gpus) drop(plan *sim.Plan, j int) {
	g.back(plan, j)
	plan.Stop(j)
}
