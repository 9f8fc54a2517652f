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
