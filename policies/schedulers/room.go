package schedulers

import "github.com/marigram/marigram/sim"

// room is what a plan leaves free in every pool, without what is rented on demand.
type room struct {
	free  []int
	total int // of all pools
	large int // GPUs of the largest server
	held  []sim.Part
}

// count sets r to what the plan leaves free.
func (r *room) count(v sim.View, plan *sim.Plan, active []int) {
	r.free, r.total, r.large = r.free[:0], 0, 0
	for p := range v.Pools() {
		n := 0
		if !v.Pool(p).OnDemand {
			n = v.Pool(p).Quota
		}
		r.free = append(r.free, n)
		r.total += n
		r.large = max(r.large, n)
	}
	for _, j := range active {
		r.held = parts(plan, j, r.held)
		for _, x := range r.held {
			r.give(int(x.Pool), -int(x.N))
		}
	}
}

// give counts n more GPUs of a pool as free.
func (r *room) give(p, n int) {
	r.free[p] += n
	r.total += n
}

// back counts GPUs as free again.
func (r *room) back(held []sim.Part) {
	for _, x := range held {
		r.give(int(x.Pool), int(x.N))
	}
}

// has reports whether so many GPUs of every pool are free.
func (r *room) has(wanted []sim.Part) bool {
	for _, x := range wanted {
		if int(x.N) > r.free[x.Pool] {
			return false
		}
	}
	return true
}

// take gives a job n GPUs of pool p.
func (r *room) take(plan *sim.Plan, j, p, n int) {
	plan.Place(j, p, n)
	r.give(p, -n)
}

// onOne gives n GPUs of the first server that has them.
func (r *room) onOne(plan *sim.Plan, j, n int) bool {
	for p := range r.free {
		if r.free[p] >= n {
			r.take(plan, j, p, n)
			return true
		}
	}
	return false
}

// within returns the servers of the first place of a tier with n free GPUs, none if there is no such place, and the GPUs
// of the largest one. Servers of a place follow one another.
func (r *room) within(v sim.View, tier []int32, n int) (first, last, largest int) {
	for p := 0; p < len(r.free); {
		q, free, all := p, 0, 0
		for ; q < len(r.free) && tier[q] == tier[p]; q++ {
			free += r.free[q]
			if !v.Pool(q).OnDemand {
				all += v.Pool(q).Quota
			}
		}
		largest = max(largest, all)
		if free >= n && last == first {
			first, last = p, q
		}
		p = q
	}
	return first, last, largest
}

// fill gives n GPUs of a row of servers, which has them, where they are free first.
func (r *room) fill(plan *sim.Plan, j, first, last, n int) {
	for p := first; p < last && n > 0; p++ {
		if k := min(n, r.free[p]); k > 0 {
			r.take(plan, j, p, k)
			n -= k
		}
	}
}
