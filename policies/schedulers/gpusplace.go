package schedulers

import "github.com/marigram/marigram/sim"

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

// watch checks the requests in spot pools: stop takes the GPUs of a job whose requests wait there, and puts it back into the
// queue; what did not come is not asked for again for a while, and others may have the rest. Where all came it does nothing.
func (g *gpus) watch(v sim.View, plan *sim.Plan, stop func(j int)) {
	s := &g.spot
	if s.is == nil || s.gone == 0 && !v.AnyWaiting() {
		return
	}
	s.lack = append(s.lack[:0], s.out...)
	clear(s.lack)
	for _, j := range v.ActiveJobs() {
		if plan.Held(j) == 0 || v.Job(j).Waiting() == 0 {
			continue
		}
		waits := false
		for _, x := range plan.Parts(j) {
			if n, _ := v.Waiting(j, int(x.Pool)); n > 0 && s.is[x.Pool] {
				s.full[x.Pool], waits = v.Now().Add(fullAgain), true
				s.lack[x.Pool] += n
			}
		}
		if waits {
			stop(j)
		}
	}
	for p := range s.is {
		switch full := s.full[p] > v.Now(); {
		case s.lack[p] > 0: // the others may have what came
			n := min(s.lack[p], g.free[p])
			s.out[p], s.gone = s.out[p]+n, s.gone+n
			g.add(p, -n)
		case !full && s.out[p] > 0:
			n := s.out[p]
			s.out[p], s.gone = 0, s.gone-n
			g.add(p, n)
		}
		if s.out[p] > 0 {
			plan.WakeIn(s.full[p].Sub(v.Now()))
		}
	}
}

// drop takes the GPUs of a job, which are free again.
func (g *gpus) drop(plan *sim.Plan, j int) {
	g.back(plan, j)
	plan.Stop(j)
}
