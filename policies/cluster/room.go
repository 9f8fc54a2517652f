package cluster

import "github.com/marigram/marigram/sim"

// room is what a plan leaves free in every pool, without what is rented on demand.
type room struct {
	free  []int
	total int // of all pools
	large int // GPUs of the largest server
}

// count sets r to what the plan leaves free.
func (r *room) count(v sim.View, plan *sim.Plan) {
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
	for _, j := range v.ActiveJobs() {
		for p, n := range plan.Jobs[j].Hold {
			r.free[p] -= n
			r.total -= n
		}
	}
}

// back counts GPUs as free again.
func (r *room) back(hold []int) {
	for p, n := range hold {
		r.free[p] += n
		r.total += n
	}
}

// has reports whether so many GPUs of every pool are free.
func (r *room) has(hold []int) bool {
	for p, n := range hold {
		if n > r.free[p] {
			return false
		}
	}
	return true
}

// take gives n GPUs of pool p.
func (r *room) take(hold []int, p, n int) {
	hold[p] += n
	r.free[p] -= n
	r.total -= n
}

// onOne gives n GPUs of the first server that has them.
func (r *room) onOne(hold []int, n int) bool {
	for p := range r.free {
		if r.free[p] >= n {
			r.take(hold, p, n)
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
func (r *room) fill(hold []int, first, last, n int) {
	for p := first; p < last && n > 0; p++ {
		k := min(n, r.free[p])
		r.take(hold, p, k)
		n -= k
	}
}
