package cluster

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
)

// models are the models of GPU of a cluster, in the order of its pools, without what is rented on
// demand.
type models struct {
	gpus  []int   // by model
	pools [][]int // by model
	of    []int   // model by pool; -1: rented on demand
}

// find finds the models, once in a run.
func (m *models) find(v sim.View) {
	if len(m.of) > 0 {
		return
	}
	var names []string
	for p := range v.Pools() {
		x := v.Pool(p)
		if x.OnDemand {
			m.of = append(m.of, -1)
			continue
		}
		at := slices.Index(names, x.GPU)
		if at < 0 || x.GPU == "" {
			at = len(names)
			names, m.gpus, m.pools = append(names, x.GPU), append(m.gpus, 0), append(m.pools, nil)
		}
		m.of, m.gpus[at], m.pools[at] = append(m.of, at), m.gpus[at]+x.Quota, append(m.pools[at], p)
	}
}

// held returns the model on which a job is, -1 if it has no GPU.
func (m *models) held(hold []int) int {
	for p, n := range hold {
		if n > 0 {
			return m.of[p]
		}
	}
	return -1
}

// placer gives the jobs that were chosen for a model their GPUs.
type placer struct {
	free    []int // by pool
	before  []int // by job and pool: what the active jobs had, of a new round
	pools   int
	whole   bool   // a new round: before is known
	taken   []bool // by job: it was chosen in this decision
	chosen  []pick
	waiting []pick // scratch
}

// pick is a job that is to have so many GPUs of a model.
type pick struct{ job, gpus int }

// begin begins a decision. In a new round all GPUs are given out anew.
func (x *placer) begin(v sim.View, plan *sim.Plan, m *models, whole bool) {
	x.pools, x.free, x.whole = v.Pools(), x.free[:0], whole
	for p := range x.pools {
		x.free = append(x.free, v.Pool(p).Quota)
	}
	if n := v.Jobs(); len(x.taken) < n {
		x.taken = append(x.taken, make([]bool, n-len(x.taken))...)
	}
	for _, j := range v.ActiveJobs() {
		x.taken[j] = false
		for p, n := range plan.Jobs[j].Hold {
			if !whole && n > 0 {
				x.free[p] -= n
			}
		}
	}
	if !whole {
		return
	}
	if n := v.Jobs() * x.pools; len(x.before) < n {
		x.before = append(x.before, make([]int, n-len(x.before))...)
	}
	for _, j := range v.ActiveJobs() {
		copy(x.before[j*x.pools:], plan.Jobs[j].Hold)
		clear(plan.Jobs[j].Hold)
	}
}

// has reports whether a job has GPUs already, in this decision or, within a round, before.
func (x *placer) has(plan *sim.Plan, j int, whole bool) bool {
	return x.taken[j] || !whole && held(plan.Jobs[j].Hold) > 0
}

// choose notes that a job is to have GPUs.
func (x *placer) choose(j, gpus int) {
	x.taken[j] = true
	x.chosen = append(x.chosen, pick{j, gpus})
}

// put gives the chosen jobs GPUs of a model: those that they had, else on as few servers as they can.
func (x *placer) put(plan *sim.Plan, m *models, model int) {
	x.waiting = x.waiting[:0]
	for _, c := range x.chosen {
		if !x.again(plan.Jobs[c.job].Hold, c, m, model) {
			x.waiting = append(x.waiting, c)
		}
	}
	slices.SortStableFunc(x.waiting, func(a, b pick) int { return cmp.Compare(b.gpus, a.gpus) })
	for _, c := range x.waiting {
		x.anywhere(plan.Jobs[c.job].Hold, c.gpus, m.pools[model])
	}
}

// again gives a job what it had in the round before, if that is of the model and free.
func (x *placer) again(hold []int, c pick, m *models, model int) bool {
	if !x.whole {
		return false
	}
	was, total := x.before[c.job*x.pools:(c.job+1)*x.pools], 0
	for p, n := range was {
		if n > 0 && (m.of[p] != model || n > x.free[p]) {
			return false
		}
		total += n
	}
	if total != c.gpus {
		return false
	}
	for p, n := range was {
		hold[p] += n
		x.free[p] -= n
	}
	clear(was)
	return true
}

// anywhere gives a job GPUs of the first server with enough, else of those with most.
func (x *placer) anywhere(hold []int, gpus int, pools []int) {
	for gpus > 0 {
		best := pools[0]
		for _, p := range pools {
			if x.free[p] >= gpus {
				best = p
				break
			}
			if x.free[p] > x.free[best] {
				best = p
			}
		}
		n := min(gpus, x.free[best])
		hold[best] += n
		x.free[best] -= n
		gpus -= n
	}
}
