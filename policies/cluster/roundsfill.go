package cluster

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// fill gives out the GPUs: all of them, or those that are free.
func (r *Rounds) fill(v sim.View, plan *sim.Plan, s *rounds, whole bool) {
	r.free = r.free[:0]
	for p := range v.Pools() {
		r.free = append(r.free, v.Pool(p).Quota)
	}
	for _, j := range v.ActiveJobs() {
		for p, n := range plan.Jobs[j].Hold {
			if whole {
				plan.Jobs[j].Hold[p] = 0
			} else {
				r.free[p] -= n
			}
		}
	}
	for p := range r.free {
		if r.free[p] == 0 {
			continue
		}
		r.rank(v, s, p)
		for _, j := range r.order {
			x, n := &s.jobs[j], gang(v, j).Gang()
			if n <= r.free[p] && x.speed[p] > 0 && held(plan.Jobs[j].Hold) == 0 && (x.priority > 0 || !r.OnlyShares) {
				plan.Jobs[j].Hold[p] = n
				r.free[p] -= n
			}
		}
	}
}

// rank sorts the jobs for a pool: those first that have had least of their share.
func (r *Rounds) rank(v sim.View, s *rounds, p int) {
	given := 0.0
	for _, j := range v.ActiveJobs() {
		given += s.jobs[j].received[p]
	}
	r.order = append(r.order[:0], v.ActiveJobs()...)
	for _, j := range r.order {
		x := &s.jobs[j]
		x.priority = x.x[p]
		switch had := x.received[p]; {
		case x.priority > 0 && had > 0:
			x.priority *= given / had
		case x.priority > 0:
			x.priority = math.MaxFloat64 * min(x.priority, 1)
		}
	}
	slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(s.jobs[b].priority, s.jobs[a].priority) })
}
