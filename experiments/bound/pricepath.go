package bound

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// pricePath is how the price of progress of a plan moves with the news of one future: a martingale under the market's
// law, linear between its points, where it may jump. It is 0 at the submission.
type pricePath struct {
	points  []pricePoint
	ahead   time.Duration // what policies may know before it happens, by notices
	usd     float64       // a second martingale, at its end: of the values without what they change with the work
	regimes []Regime
	future  []episode
	plan    Values
	first   sim.Time
}

// pricePoint is the price of progress just before and just after the news of an instant, and the work that the plan has
// left then.
type pricePoint struct {
	at            sim.Time
	before, after float64
	work          float64
}

// follower adds up both martingales. Within a step of the grid the values are those of its beginning, for the work that
// the plan has left there.
type follower struct {
	*pricePath
	episode int // that is under way
	now     sim.Time
	work    float64 // of the job, units of progress
	left    float64
	price   float64
	slopes  []float64 // by regime: the plan's price of progress at the beginning of the step
	rests   []float64 // by regime: its value then, without what it changes with the work
}

// newPricePath follows a plan through one future, in equal steps.
func newPricePath(p *problem, regimes []Regime, future []episode, plan Values, steps int, work float64) *pricePath {
	path := &pricePath{regimes: regimes, future: future, plan: plan, first: p.first}
	for i := range p.c.Market.Pools() {
		path.ahead = max(path.ahead, p.c.Market.Pool(i).Notice)
	}
	f := follower{pricePath: path, now: p.first, work: work, left: work}
	for f.episode+1 < len(future) && future[f.episode+1].from <= f.now {
		f.episode++
	}
	f.addPoint(f.price)
	step := max(p.last.Sub(p.first)/time.Duration(steps), time.Second)
	for f.now < p.last {
		f.followTo(min(f.now.Add(step), p.last))
	}
	return path
}

// followTo goes on to an instant.
func (f *follower) followTo(end sim.Time) {
	seconds := f.now.Sub(f.first).Seconds()
	left := f.left
	f.slopes = f.slopes[:0]
	f.rests = f.rests[:0]
	for r := range f.future[f.episode].rates {
		slope := f.plan.Price(r, seconds, left)
		f.slopes = append(f.slopes, slope)
		f.rests = append(f.rests, f.plan.Value(r, seconds, left)+slope*(f.work-left))
	}
	for {
		episode := &f.future[f.episode]
		regime := episode.regime
		until := end
		changes := f.episode+1 < len(f.future) && f.future[f.episode+1].from <= end
		if changes {
			until = f.future[f.episode+1].from
		}
		dt := until.Sub(f.now).Seconds()
		for r, rate := range episode.rates { // what the law has it change by, in expectation
			f.price -= rate * dt * (f.slopes[r] - f.slopes[regime])
			f.usd -= rate * dt * (f.rests[r] - f.rests[regime])
		}
		f.left = max(f.left-f.plan.Rate(regime, seconds, left)*dt, 0)
		f.now = until
		before := f.price
		if !changes {
			f.addPoint(before)
			return
		}
		f.episode++
		next := f.future[f.episode].regime
		f.price += f.slopes[next] - f.slopes[regime]
		f.usd += f.rests[next] - f.rests[regime]
		f.addPoint(before)
	}
}

// addPoint adds a point at which the price was another before.
func (f *follower) addPoint(before float64) {
	if last := len(f.points) - 1; last >= 0 && f.points[last].at == f.now {
		f.points[last].after = f.price
		return
	}
	f.points = append(f.points, pricePoint{at: f.now, before: before, after: f.price, work: f.left})
}

// find returns which point is at an instant of the news, or the first after it.
func (x *pricePath) find(t sim.Time) (i int, found bool) {
	return slices.BinarySearchFunc(x.points, t, func(p pricePoint, t sim.Time) int { return int(p.at - t) })
}

// rise returns how much the price still rises from an instant of a policy's time to the end, as seen just after or just
// before the news of that instant.
func (x *pricePath) rise(from sim.Time, afterNews bool) float64 {
	from = from.Add(x.ahead)
	end := x.points[len(x.points)-1].after
	i, found := x.find(from)
	if i == len(x.points) {
		return 0
	}
	next := &x.points[i]
	if found && afterNews {
		return end - next.after
	}
	if found {
		return end - next.before
	}
	last := &x.points[i-1]
	part := from.Sub(last.at).Seconds() / next.at.Sub(last.at).Seconds()
	return end - last.after - part*(next.before-last.after)
}

// end is what the plan expects progress to be worth at the beginning, and what its price rises by until the end.
func (x *pricePath) end(work float64) float64 {
	return x.plan.Price(x.future[0].regime, 0, work) + x.points[len(x.points)-1].after - x.points[0].after
}

// nextPoint returns the first instant of a policy's time after another at which there is a point.
func (x *pricePath) nextPoint(after sim.Time) sim.Time {
	i, _ := x.find(after.Add(x.ahead) + 1)
	if i < len(x.points) {
		return x.points[i].at.Add(-x.ahead)
	}
	return sim.Never
}

// newsAfter returns when policies know of the end of an episode.
func (x *pricePath) newsAfter(episode int) sim.Time {
	if episode+1 < len(x.future) {
		return x.future[episode+1].from.Add(-x.ahead)
	}
	return sim.Never
}

// listUses tells in which regimes the plan uses a pool at an instant of the news.
func (x *pricePath) listUses(pool int, t sim.Time, out []bool) {
	i, found := x.find(t)
	if !found {
		i--
	}
	for r := range out {
		rate := x.plan.Rate(r, t.Sub(x.first).Seconds(), x.points[i].work)
		out[r] = rate > 0 && x.regimes[r].uses(pool, rate)
	}
}

// uses reports whether the smallest cluster with a rate, or else the largest, has instances of a pool.
func (r *Regime) uses(pool int, rate float64) bool {
	for k, cluster := range r.Clusters {
		if cluster[0] >= rate*(1-1e-9) || k+1 == len(r.Clusters) {
			return r.workers[k] == nil || r.workers[k][pool] > 0
		}
	}
	return false
}
