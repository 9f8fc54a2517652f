package bound

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// pricePath is how the price of progress of a plan moves with the news of one future: a martingale under the market's law, linear between its points,
// where it may jump. It is 0 at the submission.
type pricePath struct {
	at            []sim.Time
	before, after []float64
	ahead         time.Duration // what policies may know before it happens, by notices
	usd           float64       // a second martingale, at its end: of the values without what they change with the work
}

// news adds up both martingales. Within a step of the grid the values are those of its beginning, for the work that the plan has left there.
type news struct {
	pricePath
	p           *problem
	v           Values
	future      []Episode
	k           int // of the episode that is under way
	now         sim.Time
	all, work   float64 // units of progress
	slope, rest []float64
	price       float64
}

// newPricePath follows a plan through one future, in equal steps.
func newPricePath(p *problem, future []Episode, v Values, steps int, work float64) *pricePath {
	x := &news{p: p, v: v, future: future, now: p.first, all: work, work: work}
	for i := range p.c.Market.Pools() {
		x.ahead = max(x.ahead, p.c.Market.Pool(i).Notice)
	}
	for x.k+1 < len(future) && future[x.k+1].From <= x.now {
		x.k++
	}
	x.point(x.price)
	grid := max(p.last.Sub(p.first)/time.Duration(steps), time.Second)
	for x.now < p.last {
		x.step(min(x.now.Add(grid), p.last))
	}
	return &x.pricePath
}

// step goes on to an instant.
func (x *news) step(to sim.Time) {
	seconds, work := x.now.Sub(x.p.first).Seconds(), x.work
	x.slope, x.rest = x.slope[:0], x.rest[:0]
	for r := range x.future[x.k].Rates {
		x.slope = append(x.slope, x.v.Price(r, seconds, work))
		x.rest = append(x.rest, x.v.Value(r, seconds, work)+x.slope[r]*(x.all-work))
	}
	for {
		e, until, more := &x.future[x.k], to, false
		if x.k+1 < len(x.future) && x.future[x.k+1].From <= to {
			until, more = x.future[x.k+1].From, true
		}
		dt := until.Sub(x.now).Seconds()
		for r, rate := range e.Rates { // what the law has it change by, in expectation
			x.price -= rate * dt * (x.slope[r] - x.slope[e.Regime])
			x.usd -= rate * dt * (x.rest[r] - x.rest[e.Regime])
		}
		x.work = max(x.work-x.v.Rate(e.Regime, seconds, work)*dt, 0)
		x.now = until
		before := x.price
		if !more {
			x.point(before)
			return
		}
		x.k++
		r := x.future[x.k].Regime
		x.price += x.slope[r] - x.slope[e.Regime]
		x.usd += x.rest[r] - x.rest[e.Regime]
		x.point(before)
	}
}

// point adds a point at which the price was another before.
func (x *news) point(before float64) {
	if n := len(x.at); n > 0 && x.at[n-1] == x.now {
		x.after[n-1] = x.price
		return
	}
	x.at, x.before, x.after = append(x.at, x.now), append(x.before, before), append(x.after, x.price)
}

// left returns how much the price still rises from an instant of a policy's time to the end, as seen just after or just before the news of that
// instant.
func (x *pricePath) left(t sim.Time, after bool) float64 {
	n := len(x.at) - 1
	t = t.Add(x.ahead)
	i, found := slices.BinarySearch(x.at, t)
	switch {
	case i > n:
		return 0
	case found && after:
		return x.after[n] - x.after[i]
	case found:
		return x.after[n] - x.before[i]
	}
	f := t.Sub(x.at[i-1]).Seconds() / x.at[i].Sub(x.at[i-1]).Seconds()
	return x.after[n] - x.after[i-1] - f*(x.before[i]-x.after[i-1])
}

// next returns the first instant of a policy's time after another at which there is a point.
func (x *pricePath) next(t sim.Time) sim.Time {
	if i, _ := slices.BinarySearch(x.at, t.Add(x.ahead)+1); i < len(x.at) {
		return x.at[i].Add(-x.ahead)
	}
	return sim.Never
}
