package pairs

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// look looks at the GPUs that are held. Requests that were not granted are taken back, and jobs that have lost a GPU stop.
func (r *Rounds) look(v sim.View, plan *sim.Plan, s *state) {
	r.hosts = r.hosts[:0]
	for k := range v.Hosts() {
		h := v.Host(k)
		x := host{id: h.ID, pool: h.Pool, usable: !h.Ending && h.Gone == sim.Never}
		if p := v.Pool(h.Pool); h.Granted == sim.Never && !h.Ending && p.Wait == 0 && (s.models.rents || !p.Reserved) {
			plan.Return(h.ID)
			x.usable = false
			s.models.full[h.Pool] = v.Now().Add(fullAgain)
			s.drop(plan, h.ID)
		}
		r.hosts = append(r.hosts, x)
	}
	for _, j := range s.active {
		for k := range s.jobs[j].gpus {
			if u := s.jobs[j].in; u != nil && plan.Assigned(j, k) == sim.Nowhere {
				s.stop(u)
			}
		}
	}
	s.stale = s.models.count(v, r.hosts) || s.stale
}

// drop stops what was to run on a GPU that was not granted.
func (s *state) drop(plan *sim.Plan, id int) {
	for _, j := range s.active {
		for k := range s.jobs[j].gpus {
			if u := s.jobs[j].in; u != nil && plan.Assigned(j, k) == id {
				s.stop(u)
			}
		}
	}
}

// occupy counts the GPUs that nobody has.
func (r *Rounds) occupy(v sim.View, plan *sim.Plan, s *state) {
	r.left = append(r.left[:0], make([]int, v.Pools())...)
	for _, h := range r.hosts {
		if h.usable {
			r.left[h.pool]++
		}
	}
	for p := range r.left {
		r.left[p] = min(r.left[p]+max(v.Free(p), 0), s.models.room(v, p, r.hosts))
	}
	for _, j := range s.active {
		if x := &s.jobs[j]; x.in != nil && x.in.a == j {
			for k := range x.gpus {
				r.take(plan.Assigned(j, k))
			}
		}
	}
	r.free = append(r.free[:0], make([]int, len(s.models.pools))...)
	for p, m := range s.models.of {
		if m >= 0 {
			r.free[m] += max(r.left[p], 0)
		}
	}
}

// at returns a host by its number, nil if there is none.
func (r *Rounds) at(id int) *host {
	k, found := slices.BinarySearchFunc(r.hosts, id, func(h host, id int) int { return h.id - id })
	if !found {
		return nil
	}
	return &r.hosts[k]
}

// take notes that a GPU is in use.
func (r *Rounds) take(id int) {
	if h := r.at(id); h != nil && h.usable && !h.taken {
		h.taken = true
		r.left[h.pool]--
	}
}
