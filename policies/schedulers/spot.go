package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// spotPools is what a queue knows of pools that may not grant what their quotas allow, spot pools before all: GPUs
// that it counts as free until a request is not granted, and again some time later.
type spotPools struct {
	is    []bool     // by pool: it is spot, or on demand where the queue rents
	full  []sim.Time // by pool: until when it is not asked
	out   []int      // by pool: GPUs that do not count as free so long
	total int        // of them, in all pools
	pools []int      // with any of them

	missing  []sim.Part // scratch: GPUs that were asked for and did not come
	lost     []sim.Part // scratch: of a job that lost servers
	replaced []sim.Part // scratch: what it has in their places
}

func (s *spotPools) setUp(v sim.View, rents bool) {
	pools := v.Pools()
	s.is = make([]bool, pools)
	s.full = make([]sim.Time, pools)
	s.out = make([]int, pools)
	for p := range pools {
		pool := v.Pool(p)
		s.is[p] = !pool.Reserved && (!pool.OnDemand || rents)
	}
}

func (s *spotPools) clone() spotPools {
	return spotPools{
		is:    s.is,
		full:  slices.Clone(s.full),
		out:   slices.Clone(s.out),
		total: s.total,
		pools: slices.Clone(s.pools),
	}
}

// watch checks the requests in spot pools and on servers that fail: where they wait, stop takes the GPUs of the job and
// puts it back into the queue, unless other servers are free in place of those that failed. What did not come is not
// asked for again for a while or, on a server, until it is back, and others may have the rest. Where all came it does
// nothing.
func (g *gpus) watch(v sim.View, plan *sim.Plan, where Placement, stop func(j int)) {
	s := &g.spot
	if s.total == 0 && !v.AnyWaiting() {
		return
	}
	if v.Trigger()&sim.TriggerRepair != 0 { // a job may start: others that nobody had may have failed
		for p, n := range g.free {
			if n > 0 && v.Down(p) {
				g.takeOut(p, n)
			}
		}
	}
	s.missing = s.missing[:0]
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) == 0 || v.Job(j).Waiting() == 0 {
			continue
		}
		g.listLost(v, plan, j)
		if len(s.lost) > 0 && !g.replaceLost(v, plan, j, where) {
			stop(j)
		}
	}
	for _, part := range s.missing { // the others may have what came
		g.takeOut(int(part.Pool), int(part.N))
	}
	left := s.pools[:0]
	for _, p := range s.pools {
		down := v.Down(p)
		if s.full[p] <= v.Now() && !down {
			g.putBack(p)
			continue
		}
		if !down {
			plan.WakeIn(s.full[p].Sub(v.Now()))
		}
		left = append(left, p)
	}
	s.pools = left
}

// listLost lists the GPUs of a job that were asked for and did not come, as missing and as lost.
func (g *gpus) listLost(v sim.View, plan *sim.Plan, j int) {
	s := &g.spot
	s.lost = s.lost[:0]
	for _, part := range plan.Parts(j) {
		waiting, _ := v.Waiting(j, int(part.Pool))
		if waiting > 0 && !g.rented[part.Pool] {
			s.full[part.Pool] = v.Now().Add(fullAgain)
			s.lost = append(s.lost, sim.Part{Pool: part.Pool, N: int32(waiting)})
		}
	}
	s.missing = append(s.missing, s.lost...)
}

// takeOut has at most n of the free GPUs of pool p not count as free, until putBack.
func (g *gpus) takeOut(p, n int) {
	s := &g.spot
	n = min(n, g.free[p])
	if n > 0 && s.out[p] == 0 {
		s.pools = append(s.pools, p)
	}
	s.out[p] += n
	s.total += n
	g.add(p, -n)
}

// putBack has the GPUs of pool p that were taken out count as free again.
func (g *gpus) putBack(p int) {
	n := g.spot.out[p]
	g.spot.out[p] = 0
	g.spot.total -= n
	g.add(p, n)
}

// replaceLost gives job j, which lost servers (spotPools.lost) as they failed, others, and reports whether there were
// any: else nothing is changed. Where it is to be on few servers, each is replaced by one that is as free, in the same
// rack.
func (g *gpus) replaceLost(v sim.View, plan *sim.Plan, j int, where Placement) bool {
	s := &g.spot
	s.replaced = s.replaced[:0]
	for _, lost := range s.lost {
		for left := int(lost.N); left > 0; {
			p := g.findReplacement(v, j, lost, where)
			if p < 0 {
				g.addParts(s.replaced, 1)
				return false
			}
			taken := min(left, g.free[p])
			s.replaced = append(s.replaced, sim.Part{Pool: int32(p), N: int32(taken)})
			g.add(p, -taken)
			left -= taken
		}
	}
	for _, part := range s.lost {
		p := int(part.Pool)
		plan.Place(j, p, plan.Hold(j, p)-int(part.N))
		g.add(p, int(part.N))
	}
	for _, part := range s.replaced {
		p := int(part.Pool)
		plan.Place(j, p, plan.Hold(j, p)+int(part.N))
	}
	plan.AskAgain()
	return true
}

// findReplacement returns a pool with free GPUs in place of some that a job lost, below 0 if there is none.
func (g *gpus) findReplacement(v sim.View, j int, lost sim.Part, where Placement) int {
	cluster := &g.parts[g.partOf[j]]
	n := int(lost.N)
	if !v.Down(int(lost.Pool)) {
		return none
	}
	if where == Consolidated && n == cluster.large && n < gang(v, j).Gang() {
		return g.firstFreeServer(v, cluster, &cluster.racks[g.rack[lost.Pool]])
	}
	if where == "" || where == Anywhere {
		return g.firstFree(v, cluster)
	}
	return none
}

// firstFree returns the first pool with a free GPU that is not down, below 0 if there is none.
func (g *gpus) firstFree(v sim.View, cluster *part) int {
	p := cluster.first(1)
	for p >= 0 && v.Down(p) {
		g.takeOut(p, g.free[p])
		p = cluster.first(1)
	}
	return p
}

// firstFreeServer returns the first server of a rack that is entirely free and not down, below 0 if there is none.
func (g *gpus) firstFreeServer(v sim.View, cluster *part, r *rack) int {
	for p := r.first; p < r.end && r.whole > 0; p++ {
		if cluster.on[p] && g.free[p] == cluster.large && !v.Down(p) {
			return p
		}
	}
	return none
}
