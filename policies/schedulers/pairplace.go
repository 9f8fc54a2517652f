package schedulers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// Decide implements sim.Policy.
func (r *Pairs) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*pairState)
	s.find(v, cmp.Or(r.Round, defaultRound))
	s.count(v)
	s.hear(v)
	r.observe(v, plan, s)
	if every := cmp.Or(r.Every, defaultEvery); s.stale && (s.worked == sim.Never || v.Now().Sub(s.worked) >= every) {
		s.share(v)
	}
	if v.Now() >= s.end {
		s.end = v.Now().Add(cmp.Or(r.Round, defaultRound))
		for _, j := range s.active {
			s.jobs[j].in = nil
		}
	}
	r.give(v, plan, s)
	asked := r.place(v, plan, s)
	if plan.Recorded() {
		s.say(v, plan)
	}
	if len(s.active) > 0 {
		plan.WakeIn(s.end.Sub(v.Now()))
	}
	if s.models.rents && asked {
		plan.AskAgain() // a full pool is noticed at once
	}
}

// say says why jobs wait.
func (s *pairState) say(v sim.View, plan *sim.Plan) {
	plan.SetReason("GPUs go, round by round, to the jobs and pairs of jobs that have had least of their share of the time")
	ahead := 0.0
	for _, j := range s.active {
		if x := &s.jobs[j]; x.in == nil {
			plan.AddCandidate(sim.Candidate{Name: v.Job(j).Name(), Score: ahead, Unit: "jobs waiting ahead of it",
				Note: fmt.Sprintf("others have had less of their share, alone or in pairs, and leave fewer than the %d GPUs that it needs", x.gpus)})
			ahead++
		}
	}
}

// observe takes in which GPUs are held. Requests that were not granted are taken back, and jobs that have lost a GPU stop.
func (r *Pairs) observe(v sim.View, plan *sim.Plan, s *pairState) {
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
	s.stale = s.models.count(func(p int) int { return r.headroom(v, &s.models, p) }) || s.stale
}

// headroom is how many GPUs of a pool there are for jobs, as far as is known: those that are held, where it is full.
func (r *Pairs) headroom(v sim.View, m *models, p int) int {
	if m.full[p] <= v.Now() && !v.Down(p) {
		return v.Pool(p).Quota
	}
	n := 0
	for _, h := range r.hosts {
		if h.pool == p && h.usable {
			n++
		}
	}
	return n
}

// drop stops what was to run on a GPU that was not granted.
func (s *pairState) drop(plan *sim.Plan, id int) {
	for _, j := range s.active {
		for k := range s.jobs[j].gpus {
			if u := s.jobs[j].in; u != nil && plan.Assigned(j, k) == id {
				s.stop(u)
			}
		}
	}
}

// occupy counts the GPUs that nobody has.
func (r *Pairs) occupy(v sim.View, plan *sim.Plan, s *pairState) {
	r.left = append(r.left[:0], make([]int, v.Pools())...)
	for _, h := range r.hosts {
		if h.usable {
			r.left[h.pool]++
		}
	}
	for p := range r.left {
		r.left[p] = min(r.left[p]+max(v.Free(p), 0), r.headroom(v, &s.models, p))
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
func (r *Pairs) at(id int) *host {
	k, found := slices.BinarySearchFunc(r.hosts, id, func(h host, id int) int { return h.id - id })
	if !found {
		return nil
	}
	return &r.hosts[k]
}

// take notes that a GPU is in use.
func (r *Pairs) take(id int) {
	if h := r.at(id); h != nil && h.usable && !h.taken {
		h.taken = true
		r.left[h.pool]--
	}
}

// give chooses who is to have the GPUs that nobody has, model by model: units with a share of it first, then others, if they may.
func (r *Pairs) give(v sim.View, plan *sim.Plan, s *pairState) {
	r.occupy(v, plan, s)
	r.picks = r.picks[:0]
	for m := range r.free {
		r.choose(s, m, true)
		if !r.OnlyShares {
			r.choose(s, m, false)
		}
	}
}

// choose chooses among the units with or without a share of a model: those first that have had least of it, as Gavel sorts them.
func (r *Pairs) choose(s *pairState, m int, sharing bool) {
	if r.free[m] == 0 {
		return
	}
	r.order = r.order[:0]
	for _, u := range s.units {
		if u.priority = s.priority(u, m); u.priority > 0 == sharing && u.runs[m] && s.waits(u) {
			r.order = append(r.order, u)
		}
	}
	slices.SortStableFunc(r.order, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.deficit[m], a.deficit[m]), cmp.Compare(b.x[m], a.x[m]))
	})
	for _, u := range r.order {
		n := s.jobs[u.a].gpus
		if n > r.free[m] || !s.waits(u) {
			continue
		}
		r.free[m] -= n
		r.picks = append(r.picks, pairPick{u, m})
		s.run(u, m)
	}
}

// place puts the chosen units on GPUs: where one of their jobs is, else on as few servers as they can, larger ones first. It gives back
// what nobody has, and reports whether it asks for more.
func (r *Pairs) place(v sim.View, plan *sim.Plan, s *pairState) (asks bool) {
	waiting := r.picks[:0]
	for _, c := range r.picks {
		if !r.stays(plan, s, c, c.u.a) && (c.u.b == share.Alone || !r.stays(plan, s, c, c.u.b)) {
			waiting = append(waiting, c)
		}
	}
	slices.SortStableFunc(waiting, func(a, b pairPick) int { return cmp.Compare(s.jobs[b.u.a].gpus, s.jobs[a.u.a].gpus) })
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
func (r *Pairs) stays(plan *sim.Plan, s *pairState, c pairPick, j int) bool {
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
func (r *Pairs) assign(plan *sim.Plan, u *unit) {
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
func (r *Pairs) anywhere(plan *sim.Plan, s *pairState, c pairPick) (asks bool) {
	r.on = r.on[:0]
	for n := s.jobs[c.u.a].gpus; n > 0; {
		best := enough(s.models.pools[c.model], r.left, n)
		k := min(n, r.left[best])
		asks = r.some(plan, best, k) || asks
		n -= k
	}
	r.assign(plan, c.u)
	return asks
}

// some adds n GPUs of a pool to r.on: those that are held, else others that it asks for.
func (r *Pairs) some(plan *sim.Plan, p, n int) (asks bool) {
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
