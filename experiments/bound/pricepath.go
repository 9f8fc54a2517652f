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
	work          []float64     // by point: that the plan has left
	regimes       []Regime
	future        []Episode
	plan          Values
	first         sim.Time
}

// changes adds up both martingales. Within a step of the grid the values are those of its beginning, for the work that the plan has left there.
type changes struct {
	pricePath
	p           *problem
	k           int // of the episode that is under way
	now         sim.Time
	all, todo   float64 // units of progress
	slope, rest []float64
	price       float64
}

// newPricePath follows a plan through one future, in equal steps.
func newPricePath(p *problem, regimes []Regime, future []Episode, v Values, steps int, work float64) *pricePath {
	x := &changes{pricePath: pricePath{regimes: regimes, future: future, plan: v, first: p.first}, p: p, now: p.first, all: work, todo: work}
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
func (x *changes) step(to sim.Time) {
	seconds, work := x.now.Sub(x.p.first).Seconds(), x.todo
	x.slope, x.rest = x.slope[:0], x.rest[:0]
	for r := range x.future[x.k].Rates {
		x.slope = append(x.slope, x.plan.Price(r, seconds, work))
		x.rest = append(x.rest, x.plan.Value(r, seconds, work)+x.slope[r]*(x.all-work))
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
		x.todo = max(x.todo-x.plan.Rate(e.Regime, seconds, work)*dt, 0)
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
func (x *changes) point(before float64) {
	if n := len(x.at); n > 0 && x.at[n-1] == x.now {
		x.after[n-1] = x.price
		return
	}
	x.at, x.before, x.after = append(x.at, x.now), append(x.before, before), append(x.after, x.price)
	x.work = append(x.work, x.todo)
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

// end is what the plan expects progress to be worth at the beginning, and what its price rises by until the end.
func (x *pricePath) end(work float64) float64 {
	return x.plan.Price(x.future[0].Regime, 0, work) + x.after[len(x.after)-1] - x.after[0]
}

// next returns the first instant of a policy's time after another at which there is a point.
func (x *pricePath) next(t sim.Time) sim.Time {
	if i, _ := slices.BinarySearch(x.at, t.Add(x.ahead)+1); i < len(x.at) {
		return x.at[i].Add(-x.ahead)
	}
	return sim.Never
}

// uses tells in which regimes the plan uses a pool at an instant of the news.
func (x *pricePath) uses(pool int, t sim.Time, out []bool) {
	i, found := slices.BinarySearch(x.at, t)
	if !found {
		i--
	}
	for r := range out {
		rate := x.plan.Rate(r, t.Sub(x.first).Seconds(), x.work[i])
		out[r] = false
		for k, c := range x.regimes[r].Clusters {
			if rate > 0 && (c[0] >= rate*(1-1e-9) || k+1 == len(x.regimes[r].Clusters)) {
				w := x.regimes[r].workers[k]
				out[r] = w == nil || w[pool] > 0
				break
			}
		}
	}
}
