package advise

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
)

// record is what was held and asked for until now, on the market's own clock.
type record struct {
	now, started sim.Time
	lifetimes    [][]life   // by pool, in the order of the grants
	waits        []waiting  // in the order of their beginnings
	turns        []sim.Time // instants at which the plan may have changed, ascending

	// Of many jobs:
	inOrder []*life    // of all pools, in the order of the grants
	heldBy  [][]*life  // by job: what it holds now, by its GPUs; nil: the state says nothing of jobs
	begins  []sim.Time // by job: since when
}

// readRecord reads what the state says was held.
func (a *adviser) readRecord(in *reading) (*record, error) {
	out := &record{now: in.now, started: in.started, lifetimes: make([][]life, a.market.Pools())}
	if err := a.work.read(in, out); err != nil {
		return nil, err
	}
	return out, out.finish(a.state, a.market)
}

// life is one instance.
type life struct {
	sim.Life
	released sim.Time // Never: it was not given back
	id       string
	pool     int
	asked    sim.Time // of many: when it was asked for
	jobs     []int    // of many: whose it is
}

// end returns when the instance is no longer paid.
func (l *life) end() sim.Time { return min(l.Gone, l.released) }

// until returns when the plan stops to count the instance.
func (l *life) until() sim.Time { return min(l.Noticed, l.Gone, l.released) }

// waiting is n requests of a pool that wait.
type waiting struct {
	pool, n     int
	from, until sim.Time
}

// finish puts everything in order, and checks it against the quotas.
func (r *record) finish(s *State, m *sim.Market) error {
	for p := range r.lifetimes {
		slices.SortStableFunc(r.lifetimes[p], func(a, b life) int { return cmp.Compare(a.Granted, b.Granted) })
		for i := range r.lifetimes[p] {
			l := &r.lifetimes[p][i]
			if l.released == r.now { // the policy decides without it
				l.released = max(r.now-1, l.Granted)
			}
			r.turns = append(r.turns, l.Granted, l.until())
		}
	}
	for _, w := range r.waits {
		r.turns = append(r.turns, w.from, w.until)
	}
	slices.Sort(r.turns)
	r.turns = slices.Compact(r.turns)
	want := make([]int, len(r.lifetimes))
	for _, t := range append([]sim.Time{r.started}, r.turns...) {
		if t > r.now {
			break
		}
		r.wants(t, want)
		for p, n := range want {
			held := r.countHeld(p, t)
			if quota := m.Pool(p).Quota; held > quota || n > quota && !r.anyNoticed(p, t) {
				return s.errorAt("$.instances",
					"%d instances of %s are held or asked for %v after the beginning of the market, "+
						"but the spec's quota is %d: "+
						"expected a larger quota in the spec, or the end (released, gone) of some of them",
					max(n, held), m.Pool(p).Name, t.Sub(0), quota)
			}
		}
	}
	return nil
}

// anyNoticed reports whether an instance of a pool is under notice at an instant: it counts, too.
func (r *record) anyNoticed(p int, t sim.Time) bool {
	return slices.ContainsFunc(r.lifetimes[p], func(l life) bool { return l.Noticed <= t && t < l.Gone })
}

// countHeld counts the instances of a pool that are paid at an instant, before what the plan of that instant gives
// back.
func (r *record) countHeld(p int, t sim.Time) (n int) {
	for i := range r.lifetimes[p] {
		if l := &r.lifetimes[p][i]; l.Granted <= t && t < l.end() {
			n++
		}
	}
	return n
}

// wants sets by pool what the plan in force after an instant holds.
func (r *record) wants(t sim.Time, into []int) {
	clear(into)
	for p := range r.lifetimes {
		for i := range r.lifetimes[p] {
			if l := &r.lifetimes[p][i]; l.Granted <= t && t < l.until() {
				into[p]++
			}
		}
	}
	for _, w := range r.waits {
		if w.from <= t && t < w.until {
			into[w.pool] += w.n
		}
	}
}

// maxNotice is the longest notice that a state can have.
const maxNotice = 24 * 3600e9

// count is how many instances of a pool job j holds.
func (r *record) count(j, pool int) (n int) {
	for _, l := range r.heldBy[j] {
		if l.pool == pool {
			n++
		}
	}
	return n
}

// order puts the instances of all jobs, each of which has one, into the order of their grants, by pool.
func (r *record) order() {
	slices.SortStableFunc(r.inOrder, func(a, b *life) int {
		return cmp.Or(cmp.Compare(a.Granted, b.Granted), cmp.Compare(a.pool, b.pool), cmp.Compare(a.jobs[0], b.jobs[0]))
	})
	for _, l := range r.inOrder {
		r.lifetimes[l.pool] = append(r.lifetimes[l.pool], *l)
		r.turns = append(r.turns, l.asked)
	}
	for j := range r.heldBy {
		if len(r.heldBy[j]) > 0 {
			r.turns = append(r.turns, r.begins[j])
		}
	}
}
