package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// begin begins with all GPUs of the cluster, of which it knows who holds them.
func (g *gpus) begin() {
	b := &g.left
	if len(g.parts) == 1 {
		b.free = append(b.free[:0], g.all-g.spot.gone)
		return
	}
	b.left, b.idle, b.takes = b.left[:0], b.idle[:0], b.takes[:0]
	for _, pools := range g.models {
		left, idle := 0, 0
		for _, p := range pools {
			left, idle = left+g.quota[p], idle+g.free[p]
			left -= g.spot.out[p]
		}
		b.left, b.idle = append(b.left, left), append(b.idle, idle)
	}
	g.count()
}

// count sums up what is left, by part.
func (g *gpus) count() {
	b := &g.left
	b.free = b.free[:0]
	for k := range g.parts {
		free := 0
		for m, left := range b.left {
			if g.parts[k].has(m) {
				free += left
			}
		}
		b.free = append(b.free, free)
	}
}

// model is the model of a pool.
func (g *gpus) model(p int) int {
	return slices.IndexFunc(g.models, func(pools []int) bool {
		_, has := slices.BinarySearch(pools, p)
		return has
	})
}

// keep leaves a job that has GPUs those that it has, and reports whether they are left for it.
func (g *gpus) keep(plan *sim.Plan, j, gang int) bool {
	if len(g.parts) == 1 {
		fits := gang <= g.left.free[0]
		if fits {
			g.left.free[0] -= gang
		}
		return fits
	}
	held := func(m int) (n int) {
		for _, x := range plan.Parts(j) {
			if g.model(int(x.Pool)) == m {
				n += int(x.N)
			}
		}
		return n
	}
	for m, left := range g.left.left {
		if held(m) > left {
			return false
		}
	}
	for m := range g.left.left {
		g.left.left[m] -= held(m)
	}
	g.count()
	return true
}

// yield says that a job's GPUs are nobody's now.
func (g *gpus) yield(plan *sim.Plan, j int) {
	if len(g.parts) == 1 {
		return
	}
	for _, x := range plan.Parts(j) {
		if m := g.model(int(x.Pool)); m >= 0 {
			g.left.idle[m] += int(x.N)
		}
	}
}

// reserve takes GPUs for a job that is to start, of the models on which it runs: of one model that has enough idle ones, else idle ones
// first, so that few jobs are stopped for it.
func (g *gpus) reserve(j, gang int) {
	if len(g.parts) == 1 {
		g.left.free[0] -= gang
		return
	}
	b, x := &g.left, &g.parts[g.of[j]]
	from := len(b.takes)
	b.takes = append(b.takes, make([]int, len(b.left))...)
	idle := func(m int) int { return min(b.idle[m], b.left[m]) }
	take := func(m, n int) {
		b.takes[from+m] += n
		b.left[m] -= n
		b.idle[m] -= min(n, b.idle[m])
		gang -= n
	}
	for m := range b.left {
		if x.has(m) && idle(m) >= gang {
			take(m, gang)
		}
	}
	for m := range b.left {
		if x.has(m) {
			take(m, min(gang, idle(m)))
		}
	}
	for m := range b.left {
		if x.has(m) {
			take(m, min(gang, b.left[m]))
		}
	}
	g.count()
}

// placeReserved gives the k-th of the jobs that are to start its GPUs.
func (g *gpus) placeReserved(plan *sim.Plan, j, k, gang int, where Placement) {
	if len(g.parts) == 1 {
		g.place(plan, j, gang, where)
		return
	}
	for m, n := range g.left.takes[k*len(g.models) : (k+1)*len(g.models)] {
		switch {
		case n == 0:
		case where == Closest:
			g.close(plan, j, n, g.models[m])
		default:
			for _, p := range g.models[m] {
				if k := min(n, g.free[p]); k > 0 {
					g.take(plan, j, p, k)
					n -= k
				}
			}
		}
	}
}

// walk runs the jobs of the lists, in their order, as far as the GPUs go: one that does not fit is
// stopped, and the walk goes on. Jobs that run keep their GPUs.
func (g *gpus) walk(v sim.View, plan *sim.Plan, where Placement, lists ...[]int) {
	g.begin()
	g.chose = g.chose[:0]
	for _, list := range lists {
		for _, j := range list {
			n, runs := gang(v, j).Gang(), plan.Held(j) > 0
			if runs && g.keep(plan, j, n) {
				continue
			}
			if runs {
				g.yield(plan, j)
				g.drop(plan, j)
			}
			if n <= g.left.free[g.of[j]] {
				g.reserve(j, n)
				g.chose = append(g.chose, j)
			}
		}
	}
	for k, j := range g.chose {
		g.placeReserved(plan, j, k, gang(v, j).Gang(), where)
	}
}
