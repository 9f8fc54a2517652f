package pairs

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
)

// give chooses who is to have the GPUs that nobody has, model by model: units with a share of it first, then others, if they may.
func (r *Rounds) give(v sim.View, plan *sim.Plan, s *state) {
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
func (r *Rounds) choose(s *state, m int, sharing bool) {
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
		r.picks = append(r.picks, pick{u, m})
		s.run(u, m)
	}
}
