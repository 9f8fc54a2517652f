package ondemand

import (
	"math"
	"slices"
	"time"
)

// way is how a cluster is reached. Money goes by likely boots, deadlines by their bound.
type way struct {
	boots  lag
	work   float64 // progress that is left now
	usd    float64 // USD/h until the cluster is ready
	rate   float64 // progress per second until then
	pause  float64
	change float64 // seconds that the change stops training once all is ready
	lost   float64 // seconds that a loss of the spot instances stops it
	stops  float64 // of instances that come before the last
}

// wayTo works out how a cluster is reached.
func (p *Planner) wayTo(s *Start, c *Cluster) way {
	to := way{
		boots: p.untilReady(c, p.have, p.ready.Counts),
		work:  p.workLeft(s.Loss, c),
		usd:   p.keepUSD,
		pause: s.Pause,
		lost:  s.Stall,
	}
	for k, n := range c.Counts {
		to.usd += float64(float64(max(n, p.have[k])) * p.prices[k])
	}
	if p.ready.Rate > 0 && !math.IsInf(s.Loss, 1) {
		to.rate = p.ready.Rate
		if !p.elastic && to.boots.bound > 0 { // what comes first may slow the others down
			to.rate = min(to.rate, p.rateWith(c))
			to.stops = c.arrives * float64(max(c.N-p.ready.N-1, 0))
		}
		if !slices.Equal(c.Counts, p.ready.Counts) {
			to.change = p.stall(&p.ready, c)
		}
	}
	if to.boots.bound > 0 || s.Stall > 0 {
		to.change = max(to.change, c.arrives)
	}
	return to
}

// rateWith returns the rate on what is ready and a cluster together.
func (p *Planner) rateWith(c *Cluster) float64 {
	if p.ready.within(c.Counts) {
		return c.Rate
	}
	if c.within(p.ready.Counts) {
		return p.ready.Rate
	}
	p.union.Counts = append(p.union.Counts[:0], c.Counts...)
	for k, n := range p.ready.Counts {
		p.union.Counts[k] = max(p.union.Counts[k], n)
	}
	p.measure(&p.union)
	return p.union.Rate
}

// arrive returns when the cluster trains if it is ready after some seconds, and the progress that is left then; early
// is when the job is done before that, +Inf if it is not. A change that comes in a pause stops training from then on,
// and the later end of both counts, as in the simulator: it does not wait for the pause to end.
func (x *way) arrive(boots float64) (begins, left, early float64) {
	done := x.rate * max(boots-x.pause-x.stops, 0)
	if x.rate > 0 && boots > 0 && done >= x.work {
		return boots, 0, x.pause + x.stops + x.work/x.rate
	}
	return max(boots+x.change, x.pause) + x.lost, x.work - done, never
}

// Plan returns the cheapest schedule that ends in time if boots take as long as their bound, else the one that is
// likely to end first; and how many seconds the soonest end with boots at their bound is away, +Inf if there is none.
// Of equal ones it takes the first listed, which holds the fewest.
func (p *Planner) Plan(s *Start) (best Schedule, soonest float64) {
	p.later = time.Duration(s.Later * 1e9)
	best.USD = never
	soonest = never
	likely := Schedule{End: never}
	for _, c := range p.options {
		to := p.wayTo(s, c)
		single, ends := p.planSingle(&to, c)
		if single.First == nil {
			continue
		}
		soonest = min(soonest, ends)
		if single.End < likely.End {
			likely = single
		}
		if !p.inTime(s, &to, &single, ends) {
			continue
		}
		single.InTime = true
		if p.isCheaper(&single, &best) {
			best = single
		}
		if c.corner {
			p.planPairs(s, &to, c, &best)
		}
	}
	if !best.InTime {
		best = likely
	}
	return best, soonest
}

// inTime reports whether the schedule of one cluster, which ends then with boots at their bound, meets the deadline.
func (p *Planner) inTime(s *Start, to *way, single *Schedule, ends float64) bool {
	return ends <= s.Left+rounding || single.End <= s.Left && p.canBeHelped(s, to, single.First)
}

// canBeHelped reports whether a cluster that is late if it boots as long as the bound can still be helped then: by a
// faster one that is requested at that instant, and boots as long as its bound.
func (p *Planner) canBeHelped(s *Start, to *way, c *Cluster) bool {
	if !p.elastic {
		return false
	}
	begins, left, _ := to.arrive(to.boots.bound)
	for _, faster := range p.options {
		if faster.Rate <= c.Rate {
			continue
		}
		boots := p.untilReady(faster, c.Counts, c.Counts).bound
		if left > c.Rate*boots && begins+boots+(left-c.Rate*boots)/faster.Rate <= s.Left {
			return true
		}
	}
	return false
}

// rounding is the seconds, and the share of a cost, below which differences do not count.
const rounding = 1e-7

// planSingle is the schedule of one cluster with likely boots, and its end with boots at their bound. There is none for
// a cluster that is not ready and no faster than what is: that is left for it once it is (planPair).
func (p *Planner) planSingle(to *way, c *Cluster) (out Schedule, bound float64) {
	if to.boots.bound > 0 && to.rate > 0 && c.Rate <= p.ready.Rate {
		return out, never
	}
	begins, left, early := to.arrive(to.boots.bound)
	bound = min(begins+left/c.Rate, early)
	boots := to.boots.likely
	begins, left, early = to.arrive(boots)
	out = Schedule{First: c, Boots: to.boots.bound, Likely: boots, End: begins + left/c.Rate}
	out.USD = (to.usd*boots + c.USD*(out.End-boots)) / 3600
	if early < out.End {
		out.End = early
		out.USD = to.usd * early / 3600
		boots = early
	}
	out.USD += p.topUp(&out, boots, out.End, 0)
	out.Until = out.End
	return out, bound
}

// spare is kept of the time where a cluster is left for a slower one, s.
const spare = 0.1

// pair is a schedule of two clusters that is weighed up.
type pair struct {
	first, then *Cluster
	begins      float64 // seconds until first trains
	work        float64 // progress that is left then
	paid        float64 // until then, USD/h times seconds
}

// planPairs looks for a cheaper schedule than the cheapest so far: a cluster with which alone the job would be in time,
// and then another one, which ends just in time.
func (p *Planner) planPairs(s *Start, to *way, first *Cluster, cheapest *Schedule) {
	x := pair{first: first}
	x.begins, x.work, _ = to.arrive(to.boots.likely)
	x.paid = to.usd*to.boots.likely + first.USD*(x.begins-to.boots.likely)
	left := s.Left - spare - x.begins
	for _, then := range p.options {
		if !then.corner || then.USD >= first.USD || then.Rate >= first.Rate || left <= 0 {
			continue
		}
		on, after := split(x.work, first.Rate, then.Rate, left)
		// What comes now only adds, but for whole hours that are paid anyway.
		if p.coarse || x.paid+first.USD*on+then.USD*after < 3600*cheapest.USD*(1-rounding) {
			x.then = then
			p.planPair(s, to, &x, cheapest)
		}
	}
}

// split returns for how long work is done at two rates, the higher first, so that it ends when no time is left; at the
// lower alone where that is soon enough.
func split(work, high, low, left float64) (first, then float64) {
	if low*left >= work {
		return 0, work / low
	}
	first = (work - low*left) / (high - low)
	return first, left - first
}

// planPair takes the schedule of a pair if it is the cheapest so far.
func (p *Planner) planPair(s *Start, to *way, x *pair, cheapest *Schedule) {
	stall := p.stall(x.first, x.then)
	left := s.Left - spare - x.begins - stall
	on, after := split(x.work, x.first.Rate, x.then.Rate, left)
	if !(left > 0 && after > 0) {
		return
	}
	usd := x.paid + x.first.USD*on + x.then.USD*(stall+after)
	over := x.begins + on // when the second takes over
	boots := lag{}
	if !x.then.within(x.first.Counts) { // it boots while the first does or trains
		boots = p.untilReady(x.then, x.first.Counts, x.first.Counts)
		for k, n := range x.then.Counts {
			usd += float64(float64(max(n-x.first.Counts[k], 0)) * p.prices[k] * boots.likely)
		}
	}
	if boots.bound >= over {
		// Nothing is left for the first: the second is weighed up alone, and the first would be held until the next
		// look, again and again.
		return
	}
	out := Schedule{
		First:  x.first,
		Then:   x.then,
		Boots:  to.boots.bound,
		Likely: to.boots.likely,
		Until:  over - boots.bound,
		End:    over + stall + after,
		InTime: true,
	}
	out.USD = usd/3600 + p.topUp(&out, to.boots.likely, over, boots.likely)
	if p.isCheaper(&out, cheapest) {
		*cheapest = out
	}
}

// Whole returns what the whole job costs from its submission on, as if nothing was held, USD, with parameter servers of
// a price an hour; +Inf if it cannot be done in time, and where there is nothing on demand. Instances are ready within
// the boot time that is planned with at a probability of share, which must be the same in all calls. After is the same
// if it begins two boots later.
func (p *Planner) Whole(share, serversUSD float64) (usd, after float64) {
	objective := p.job.Objective()
	whole := &p.table.whole
	if !whole.known || whole.objective != objective {
		p.planWhole(share, objective.Within.Seconds())
		whole.known = true
		whole.objective = objective
	}
	return whole.now.usd + serversUSD*whole.now.end/3600, whole.after.usd + serversUSD*whole.after.end/3600
}

// Restart returns what a try of spot costs in the schedule of Whole if what came is lost, USD, on what is held first: the
// stops by the last instance that comes on spot, by the loss, and by the last that comes on demand. It has to be called
// after Whole.
func (p *Planner) Restart() float64 {
	return (p.Loss().Stall.Seconds() + 2*p.Arrives()) * p.table.whole.now.first / 3600
}

// planWhole plans the whole job within some seconds from its submission on.
func (p *Planner) planWhole(share, within float64) {
	have := p.have
	ready := p.ready
	options := p.options
	planned := p.Share

	whole := &p.table.whole
	p.have = p.nothing
	p.ready = Cluster{Counts: p.nothing}
	p.options = whole.options[:0]
	p.Share = share
	p.listTable()
	p.start = Start{Loss: never, Left: within}
	whole.now = p.cheapestInTime()
	p.start.Left -= 2 * p.Boot()
	whole.after = p.cheapestInTime()
	whole.options = p.options

	p.have = have
	p.ready = ready
	p.options = options
	p.Share = planned
}

// cheapestInTime returns the cheapest schedule from start on that ends in time.
func (p *Planner) cheapestInTime() wholeCost {
	if out, _ := p.Plan(&p.start); out.InTime {
		return wholeCost{usd: out.USD, end: out.End, first: out.First.USD}
	}
	return wholeCost{usd: never}
}
