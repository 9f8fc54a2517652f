package experiments

import (
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// spanRows is what a recorder knows of spans: rows of groups of pools.
type spanRows struct {
	groups []results.Span // what does not change of the rows
	of     []int          // group by pool

	state    []results.Span // of the present interval, by group
	capacity []int32
	prices   []meanPrice

	open []int        // row of each group that goes on, which ends when the group changes; -1: none
	now  results.Span // what the rows of the last interval have in common
}

// newRow is a row of a pool.
func newRow(l label, facts *sim.Pool) results.Span {
	return results.Span{Run: l.run, Policy: l.policy, Scenario: l.scenario, Objective: l.objective, Seed: l.seed,
		Pool: facts.Name, InstanceType: facts.InstanceType, Market: marketOf(facts)}
}

// addGroup adds a group to which the next pool belongs.
func (r *spanRows) addGroup(row results.Span) {
	r.of = append(r.of, len(r.groups))
	r.groups = append(r.groups, row)
	r.open = append(r.open, -1)
	r.capacity = append(r.capacity, 0)
	r.prices = append(r.prices, meanPrice{})
}

// begin begins the rows of an interval, and returns what those before it had in common.
func (r *recorder) begin(s *sim.Span) (before results.Span) {
	before = r.now
	r.now = results.Span{StartS: r.elapsed(s.From), EndS: r.elapsed(s.To), CostUSD: s.USD}
	return before
}

// fillPools fills the rows of the present interval, but for their capacity.
func (r *recorder) fillPools(s *sim.Span) {
	r.state = append(r.state[:0], r.groups...)
	for g := range r.state {
		row := &r.state[g]
		row.StartS = r.now.StartS
		row.Activity = r.now.Activity
		row.RateProgressPerS = r.now.RateProgressPerS
		row.Slowed = r.now.Slowed
		row.JobsRunning = r.now.JobsRunning
		row.JobsWaiting = r.now.JobsWaiting
		row.GPUsWanted = r.now.GPUsWanted
		row.Layout = r.now.Layout
		goOn(row, &r.now)
		row.Capacity = &r.capacity[g]
	}
	for p := range s.Pools {
		x := &s.Pools[p]
		row := &r.state[r.of[p]]
		row.Ready += int32(x.Ready)
		row.Starting += int32(x.Starting)
		row.Noticed += int32(x.Noticed)
		row.Waiting += int32(x.Waiting)
	}
	clear(r.prices)
	for p := range s.Pools {
		g := r.of[p]
		r.prices[g].add(&s.Pools[p], r.state[g].Held())
	}
	for g := range r.state {
		r.state[g].PriceUSDPerH = r.prices[g].mean()
	}
}

// add adds the row of a group and ends the one before; before is what the interval before had in common.
func (r *recorder) add(g int, before *results.Span) *results.Span {
	if r.open[g] >= 0 {
		r.end(g, before)
	}
	r.rows.Spans = append(r.rows.Spans, r.state[g])
	row := &r.rows.Spans[len(r.rows.Spans)-1]
	if row.Capacity != nil {
		row.Capacity = new(*row.Capacity)
	}
	return row
}

// end ends the open row of a group with the interval whose rows had these columns.
func (r *recorder) end(g int, last *results.Span) {
	goOn(&r.rows.Spans[r.open[g]], last)
	r.open[g] = -1
}

// goOn makes a row end as the interval that has these columns.
func goOn(row, last *results.Span) {
	row.EndS = last.EndS
	row.Progress = last.Progress
	row.Loss = last.Loss
	row.CostUSD = last.CostUSD
}

// sameOffer reports whether price and capacity of two rows are the same.
func sameOffer(a, b *results.Span) bool {
	if a.PriceUSDPerH != b.PriceUSDPerH || (a.Capacity == nil) != (b.Capacity == nil) {
		return false
	}
	return a.Capacity == nil || *a.Capacity == *b.Capacity
}

// meanPrice is the price of a group: the mean of what is held, so that it times their number is what they cost, or
// where nothing is held the mean of all. One price of all is that very price.
type meanPrice struct{ min, max, sum, weight float64 }

// add adds a pool of a group of which some are held.
func (m *meanPrice) add(x *sim.PoolSpan, held int32) {
	weight := 1.0
	if held > 0 {
		weight = float64(x.Ready + x.Starting + x.Noticed)
	}
	if weight == 0 {
		return
	}
	if m.weight == 0 {
		m.min = x.Price
		m.max = x.Price
	}
	m.min = min(m.min, x.Price)
	m.max = max(m.max, x.Price)
	m.sum += float64(x.Price * weight)
	m.weight += weight
}

func (m *meanPrice) mean() float64 {
	if m.min == m.max {
		return m.min
	}
	return m.sum / m.weight
}
