package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// headroom is what is left for jobs that are taken in the order of a scheduler when those before have theirs, whoever
// holds it at present. Where some jobs run on some models of GPU only, so that the cluster has several parts, it is
// counted by model.
type headroom struct {
	free  []int // by part
	left  []int // by model
	idle  []int // of it, that nobody holds
	takes []int // of the jobs that are to start, by model, one after the other
}

// begin begins with all GPUs of the cluster, of which it knows who holds them.
func (g *gpus) begin() {
	h := &g.left
	if len(g.parts) == 1 {
		h.free = append(h.free[:0], g.all-g.spot.total)
		return
	}
	h.left = h.left[:0]
	h.idle = h.idle[:0]
	h.takes = h.takes[:0]
	for _, pools := range g.models {
		left := 0
		idle := 0
		for _, p := range pools {
			left += g.quota[p] - g.spot.out[p]
			idle += g.free[p]
		}
		h.left = append(h.left, left)
		h.idle = append(h.idle, idle)
	}
	g.countLeft()
}

// countLeft sums up what is left, by part.
func (g *gpus) countLeft() {
	h := &g.left
	h.free = h.free[:0]
	for k := range g.parts {
		free := 0
		for model, left := range h.left {
			if g.parts[k].has(model) {
				free += left
			}
		}
		h.free = append(h.free, free)
	}
}

// modelOf returns the model of a pool, below 0 if it is rented.
func (g *gpus) modelOf(p int) int {
	return slices.IndexFunc(g.models, func(pools []int) bool {
		_, has := slices.BinarySearch(pools, p)
		return has
	})
}

// heldOf returns how many GPUs of a model the plan gives a job.
func (g *gpus) heldOf(plan *sim.Plan, j, model int) int {
	held := 0
	for _, part := range plan.Parts(j) {
		if g.modelOf(int(part.Pool)) == model {
			held += int(part.N)
		}
	}
	return held
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
	for model, left := range g.left.left {
		if g.heldOf(plan, j, model) > left {
			return false
		}
	}
	for model := range g.left.left {
		g.left.left[model] -= g.heldOf(plan, j, model)
	}
	g.countLeft()
	return true
}

// yield says that a job's GPUs are nobody's now.
func (g *gpus) yield(plan *sim.Plan, j int) {
	if len(g.parts) == 1 {
		return
	}
	for _, part := range plan.Parts(j) {
		model := g.modelOf(int(part.Pool))
		if model >= 0 {
			g.left.idle[model] += int(part.N)
		}
	}
}

// reserve takes GPUs for a job that is to start, of the models on which it runs: of one model that has enough idle
// ones, else idle ones first, so that few jobs are stopped for it.
func (g *gpus) reserve(j, gang int) {
	if len(g.parts) == 1 {
		g.left.free[0] -= gang
		return
	}
	h := &g.left
	cluster := &g.parts[g.partOf[j]]
	first := len(h.takes)
	h.takes = append(h.takes, make([]int, len(h.left))...)
	taken := h.takes[first:]
	for model := range h.left {
		if cluster.has(model) && h.idleOf(model) >= gang {
			gang -= h.take(taken, model, gang)
		}
	}
	for model := range h.left {
		if cluster.has(model) {
			gang -= h.take(taken, model, min(gang, h.idleOf(model)))
		}
	}
	for model := range h.left {
		if cluster.has(model) {
			gang -= h.take(taken, model, min(gang, h.left[model]))
		}
	}
	g.countLeft()
}

// idleOf returns how many GPUs of a model are left that nobody holds.
func (h *headroom) idleOf(model int) int { return min(h.idle[model], h.left[model]) }

// take takes n GPUs of a model, and returns how many.
func (h *headroom) take(taken []int, model, n int) int {
	taken[model] += n
	h.left[model] -= n
	h.idle[model] -= min(n, h.idle[model])
	return n
}

// placeReserved gives the k-th of the jobs that are to start its GPUs.
func (g *gpus) placeReserved(plan *sim.Plan, j, k, gang int, where Placement) {
	if len(g.parts) == 1 {
		g.place(plan, j, gang, where)
		return
	}
	for model, n := range g.left.takes[k*len(g.models) : (k+1)*len(g.models)] {
		if n == 0 {
			continue
		}
		if where == Closest {
			g.takeClosest(plan, j, n, g.models[model])
			continue
		}
		for _, p := range g.models[model] {
			taken := min(n, g.free[p])
			if taken > 0 {
				g.take(plan, j, p, taken)
				n -= taken
			}
		}
	}
}

// run runs the jobs of the lists, in their order, as far as the GPUs go: one that does not fit is stopped, and it
// goes on with the next. Jobs that run keep their GPUs.
func (g *gpus) run(v sim.View, plan *sim.Plan, where Placement, lists ...[]int) {
	g.begin()
	g.chosen = g.chosen[:0]
	for _, list := range lists {
		for _, j := range list {
			n := gang(v, j).Gang()
			runs := plan.Held(j) > 0
			if runs && g.keep(plan, j, n) {
				continue
			}
			if runs {
				g.yield(plan, j)
				g.stop(plan, j)
			}
			if n <= g.left.free[g.partOf[j]] {
				g.reserve(j, n)
				g.chosen = append(g.chosen, j)
			}
		}
	}
	for k, j := range g.chosen {
		g.placeReserved(plan, j, k, gang(v, j).Gang(), where)
	}
}
