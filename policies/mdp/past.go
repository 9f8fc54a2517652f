package mdp

import "time"

// pastSpan is how much of a record before the run is looked at: a whole day has all its hours, and what is older says
// less of the hours that come.
const pastSpan = 24 * time.Hour

// recall takes in what the record says of the day before the run, of a pool that has one: removals and arrivals count
// for no more than past_weight changes each, with their share of the hours. It does so of an only spot pool: of two and
// three pools, which are believed to be independent, the past made runs up to 2.5 % dearer.
func (p *planner) recall(k int, only bool) {
	pool := &p.pools[k]
	pool.past = evidence{}
	if !only || p.set.Past == 0 {
		return
	}
	past := evidenceOf(p.view.SeenBefore(k, pastSpan))
	lost := p.set.Past / max(past.removals, p.set.Past)
	came := p.set.Past / max(past.arrivals, p.set.Past)
	pool.past = evidence{
		removals: lost * past.removals,
		held:     lost * past.held,
		arrivals: came * past.arrivals,
		waited:   came * past.waited,
	}
}
