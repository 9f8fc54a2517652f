package synth

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// trace is what newTrace says of the set of what was made, and its correlations are those of that set, without the
// set: a row of it takes six times as much as what it was made of.
func (m *making) trace() *trace {
	n := len(m.pools)
	s := &traces.Set{Pools: make([]traces.Pool, n), Manifest: traces.Manifest{ClockKind: traces.ClockRelative, TEndUs: m.end}}
	h := &trace{set: s, courses: make([]course, n), prices: make([][]series.Step, n), priced: make([][]series.Piece, n),
		lifetimes: make([][]describe.Lifetime, n)}
	counts, costs := make([][]series.Step, n), make([][]series.Step, n)
	for i, p := range m.pools {
		s.Pools[i] = p.pool(int32(i))
		x, c := &m.generated[i], &h.courses[i]
		switch {
		case p.Machines:
			counts[i], h.lifetimes[i] = m.machinesOf(i, c)
		case p.Cap > 0:
			rows := x.appendCounts(nil, p, int32(i))
			inOrder(rows, func(r traces.CapacityRow) int64 { return r.T })
			counts[i], c.top, h.capped = series.CapacitySteps(rows), p.Cap, true
			c.readCounts(counts[i])
		}
		c.to = max(c.from, m.end)
		c.spans = slices.Collect(series.Pieces(counts[i], nil, m.end))
		all := make([]series.Step, len(x.prices))
		for k, price := range x.prices {
			all[k] = series.Step{T: price.T, V: float64(int64(price.V))}
		}
		inOrder(all, func(r series.Step) int64 { return r.T })
		h.prices[i] = series.Changes(all)
		h.priced[i] = slices.Collect(series.Pieces(all, nil, m.end))
		costs[i] = all
		for k := range all {
			all[k].V = traces.USD(int64(all[k].V))
		}
		x.moves, x.machines, x.prices = nil, nil, nil
	}
	h.correlated = describe.CorrelateSteps(s, counts, costs)
	return h
}

// machinesOf reads the course of a pool from its machines, and returns how many there are and how long they live.
func (m *making) machinesOf(pool int, c *course) (steps []series.Step, lifetimes []describe.Lifetime) {
	x := &m.generated[pool]
	events := x.machines
	if events == nil {
		events = x.named(m.dice, sim.NameEntity(m.pools[pool].Name))
	}
	inOrder(events, func(r machineEvent) int64 { return r.t })
	var up register
	n := 0
	for i := 0; i < len(events); {
		v := move{t: events[i].t}
		for ; i < len(events) && events[i].t == v.t; i++ {
			e := &events[i]
			if since, was := up.at(e.id); e.up && !was {
				up.come(e.id, e.t)
				v.came++
			} else if !e.up && was {
				up.leave(e.id)
				v.gone++
				lifetimes = append(lifetimes, describe.Lifetime{Pool: int32(pool), From: since, To: e.t, Lost: true})
			}
		}
		n = c.see(v, n, len(steps) == 0)
		steps = append(steps, series.Step{T: v.t, V: float64(up.n)})
		c.top = max(c.top, up.n)
	}
	for _, since := range up.since {
		if since > 0 {
			lifetimes = append(lifetimes, describe.Lifetime{Pool: int32(pool), From: since - 1, To: max(since-1, m.end)})
		}
	}
	return steps, lifetimes
}

// register is which machines are there, by their numbers, and since when.
type register struct {
	since []int64 // plus 1; 0: not there
	n     int
}

func (r *register) at(id int) (since int64, there bool) {
	if id >= len(r.since) || r.since[id] == 0 {
		return 0, false
	}
	return r.since[id] - 1, true
}

func (r *register) come(id int, t int64) {
	for id >= len(r.since) {
		r.since = append(r.since, 0)
	}
	r.since[id] = t + 1
	r.n++
}

func (r *register) leave(id int) { r.since[id], r.n = 0, r.n-1 }

// inOrder sorts by time what mostly is sorted.
func inOrder[T any](list []T, at func(T) int64) {
	order := func(a, b T) int { return cmp.Compare(at(a), at(b)) }
	if !slices.IsSortedFunc(list, order) {
		slices.SortStableFunc(list, order)
	}
}
