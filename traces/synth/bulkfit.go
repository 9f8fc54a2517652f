package synth

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/traces/describe"
)

func fitBulk(h *trace, opt FitOptions) (Model, error) {
	if !h.counted() {
		return nil, fmt.Errorf("no counts or machines were recorded, expected a trace with them")
	}
	b := &bulk{Chains: make([]chain, len(h.courses))}
	for i := range h.courses {
		b.Chains[i] = h.courses[i].chain()
		b.ClockPerHour = max(b.ClockPerHour, b.Chains[i].fastest())
	}
	b.fitShares(h, opt)
	if h.hasPrices() {
		b.Prices = fitWalk(h, opt)
	}
	return b, nil
}

// minHours is the shortest time at a level: levels that were left at once, or
// in a gap, would be left infinitely often per hour.
const minHours = 1. / 60

// chain counts the moves from each level.
func (c *course) chain() chain {
	if len(c.spans) == 0 {
		return chain{}
	}
	hours, total := map[int]float64{}, c.hours()
	for _, p := range c.spans {
		hours[int(p.V)] += p.Hours()
	}
	type kind struct{ from, gone, came int }
	count := map[kind]int{}
	n := c.start
	for _, m := range c.moves {
		count[kind{n, m.gone, m.came}]++
		n += m.came - m.gone
		hours[n] += 0
	}
	if n != c.start { // close the circle
		count[kind{n, max(0, n-c.start), max(0, c.start-n)}]++
	}
	hours[c.start] += 0
	var out chain
	for n, h := range hours {
		out.Levels = append(out.Levels, level{Machines: n, ShareOfTime: h / total, Moves: []bulkMove{}})
	}
	slices.SortFunc(out.Levels, func(a, b level) int { return cmp.Compare(a.Machines, b.Machines) })
	for k, times := range count {
		l := &out.Levels[out.at(k.from)]
		l.Moves = append(l.Moves, bulkMove{k.gone, k.came, float64(times) / max(minHours, hours[k.from])})
	}
	for i := range out.Levels {
		slices.SortFunc(out.Levels[i].Moves, func(a, b bulkMove) int {
			return cmp.Or(cmp.Compare(b.Gone, a.Gone), cmp.Compare(a.Came, b.Came))
		})
	}
	return out
}

// fastest returns the most moves per hour from any level.
func (c *chain) fastest() float64 {
	largest := 0.0
	for _, l := range c.Levels {
		sum := 0.0
		for _, m := range l.Moves {
			sum += m.PerHour
		}
		largest = max(largest, sum)
	}
	return largest
}

// fitShares fits the common clocks to the mean correlations of availability
// across regions and within: a pair's correlation depends only on the share of
// ticks that both hear.
func (b *bulk) fitShares(h *trace, opt FitOptions) {
	recorded := describe.Correlate(h.set)
	pools := generatorPools(h)
	correlation := func() (same, cross *float64) {
		return meanCorrelations(b, pools, opt.fitSeeds(), time.Duration(h.span())*time.Microsecond)
	}
	if want := recorded.AvailabilityCross; want != nil {
		b.WorldShare = solve(*want, 1, func(x float64) *float64 {
			b.WorldShare = x
			_, cross := correlation()
			return cross
		})
	}
	if want := recorded.AvailabilitySame; want != nil {
		b.RegionShare = solve(*want, 1-b.WorldShare, func(x float64) *float64 {
			b.RegionShare = x
			same, _ := correlation()
			return same
		})
	}
}

// meanCorrelations returns the mean correlations of availability of the
// traces of the first seeds.
func meanCorrelations(model Model, pools []GeneratorPool, seeds int, span time.Duration) (same, cross *float64) {
	var within, across mean
	for seed := range uint64(seeds) {
		m := newMaking(pools, seed, span.Microseconds())
		model.make(m)
		st := m.trace().correlated
		within.add(st.AvailabilitySame)
		across.add(st.AvailabilityCross)
	}
	return within.value(), across.value()
}

var bulkEntry = modelEntry{
	name: "bulk", what: "simultaneous losses and gains, by level; zones correlated by common shocks",
	blank: func() Model { return new(bulk) },
	fit:   fitBulk,
}
