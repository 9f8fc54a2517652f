package pairs

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// place puts the chosen units on GPUs: where one of their jobs is, else on as few servers as they can, larger ones first. It gives back
// what nobody has, and reports whether it asks for more.
func (r *Rounds) place(v sim.View, plan *sim.Plan, s *state) (asks bool) {
	waiting := r.picks[:0]
	for _, c := range r.picks {
		if !r.stays(plan, s, c, c.u.a) && (c.u.b == share.Alone || !r.stays(plan, s, c, c.u.b)) {
			waiting = append(waiting, c)
		}
	}
	slices.SortStableFunc(waiting, func(a, b pick) int { return cmp.Compare(s.jobs[b.u.a].gpus, s.jobs[a.u.a].gpus) })
	for _, c := range waiting {
		asks = r.anywhere(plan, s, c) || asks
	}
	for _, j := range s.active {
		for k := range s.jobs[j].gpus {
			if s.jobs[j].in == nil && plan.Assigned(j, k) != sim.Nowhere {
				plan.Assign(j, k, sim.Nowhere)
			}
		}
	}
	for _, h := range r.hosts {
		if h.usable && !h.taken {
			plan.Return(h.id)
		}
	}
	return asks
}

// stays puts a unit where one of its jobs is, if that is of the model and nobody else has it.
func (r *Rounds) stays(plan *sim.Plan, s *state, c pick, j int) bool {
	r.on = r.on[:0]
	for k := range s.jobs[j].gpus {
		h := r.at(plan.Assigned(j, k))
		if h == nil || !h.usable || h.taken || s.models.of[h.pool] != c.model || slices.Contains(r.on, h.id) {
			return false
		}
		r.on = append(r.on, h.id)
	}
	r.assign(plan, c.u)
	return true
}

// assign puts a unit on the GPUs of r.on.
func (r *Rounds) assign(plan *sim.Plan, u *unit) {
	for _, j := range u.both() {
		for k, id := range r.on {
			if plan.Assigned(j, k) != id {
				plan.Assign(j, k, id)
			}
		}
	}
	for _, id := range r.on {
		r.take(id)
	}
}

// anywhere puts a unit on GPUs of the first server with enough, else of those with most, and reports whether it asks for more.
func (r *Rounds) anywhere(plan *sim.Plan, s *state, c pick) (asks bool) {
	r.on = r.on[:0]
	for n := s.jobs[c.u.a].gpus; n > 0; {
		best := s.models.pools[c.model][0]
		for _, p := range s.models.pools[c.model] {
			if r.left[p] >= n {
				best = p
				break
			}
			if r.left[p] > r.left[best] {
				best = p
			}
		}
		k := min(n, r.left[best])
		asks = r.some(plan, best, k) || asks
		n -= k
	}
	r.assign(plan, c.u)
	return asks
}

// some adds n GPUs of a pool to r.on: those that are held, else others that it asks for.
func (r *Rounds) some(plan *sim.Plan, p, n int) (asks bool) {
	for i := range r.hosts {
		if h := &r.hosts[i]; n > 0 && h.pool == p && h.usable && !h.taken {
			h.taken = true
			r.left[p]--
			r.on = append(r.on, h.id)
			n--
		}
	}
	for range n {
		r.on = append(r.on, plan.Rent(p))
		r.left[p]--
		asks = true
	}
	return asks
}
