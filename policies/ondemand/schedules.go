package ondemand

import (
	"math"
	"slices"
	"time"
)

// leg is the way to a cluster: what is ready trains until all of it is. Money goes by likely boots, deadlines by their
// bound.
type leg struct {
	boots  lag
	work   float64 // progress that is left now
	usd    float64 // USD/h until the cluster is ready
	rate   float64 // progress per second until then
	pause  float64
	change float64 // seconds that the change stops training once all is ready
	lost   float64 // seconds that a loss of the spot instances stops it
	stops  float64 // of instances that come before the last
}

// leg works out how a cluster is reached.
func (p *Planner) leg(s *Start, c *Cluster) leg {
	x := leg{boots: p.wait(c, p.have, p.up.Counts), work: p.work(s, c), usd: p.keepUSD, pause: s.Pause}
	for k, n := range c.Counts {
		x.usd += float64(float64(max(n, p.have[k])) * p.prices[k])
	}
	if p.up.Rate > 0 && !math.IsInf(s.Loss, 1) {
		x.rate = p.up.Rate
		if !p.elastic && x.boots.bound > 0 { // what comes first may slow the others down
			x.rate, x.stops = min(x.rate, p.with(c)), c.arrives*float64(max(c.N-p.up.N-1, 0))
		}
		if !slices.Equal(c.Counts, p.up.Counts) {
			x.change = p.stall(&p.up, c)
		}
	}
	if x.boots.bound > 0 || s.Stall > 0 {
		x.change = max(x.change, c.arrives)
	}
	x.lost = s.Stall
	return x
}

// with returns the rate on what is ready and a cluster together.
func (p *Planner) with(c *Cluster) float64 {
	if p.up.within(c.Counts) {
		return c.Rate
	}
	if c.within(p.up.Counts) {
		return p.up.Rate
	}
	p.union.Counts = append(p.union.Counts[:0], c.Counts...)
	for k, n := range p.up.Counts {
		p.union.Counts[k] = max(p.union.Counts[k], n)
	}
	p.measure(&p.union)
	return p.union.Rate
}

// at returns when the cluster trains if it is ready after some seconds, and the progress that is left then; early is
// when the job is done before that, +Inf if it is not. A change that comes in a pause stops training from then on, and
// the later end of both counts, as in the simulator: it does not wait for the pause to end.
func (x *leg) at(boots float64) (begins, left, early float64) {
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
	best.USD, soonest = never, never
	likely := Schedule{End: never}
	for _, a := range p.list {
		x := p.leg(s, a)
		one, ends := p.alone(&x, a)
		if one.First == nil {
			continue
		}
		soonest = min(soonest, ends)
		if one.End < likely.End {
			likely = one
		}
		if ends > s.Left+rounding && !(one.End <= s.Left && p.helped(s, &x, a)) {
			continue
		}
		one.InTime = true
		if p.cheaper(&one, &best) {
			best = one
		}
		if a.corner {
			p.pairs(s, &x, a, &best)
		}
	}
	if !best.InTime {
		best = likely
	}
	return best, soonest
}

// helped reports whether a cluster that is late if it boots as long as the bound can still be helped then: by a faster
// one that is requested at that instant, and boots as long as its bound.
func (p *Planner) helped(s *Start, x *leg, a *Cluster) bool {
	if !p.elastic {
		return false
	}
	begins, left, _ := x.at(x.boots.bound)
	for _, c := range p.list {
		if c.Rate <= a.Rate {
			continue
		}
		boots := p.wait(c, a.Counts, a.Counts).bound
		if left > a.Rate*boots && begins+boots+(left-a.Rate*boots)/c.Rate <= s.Left {
			return true
		}
	}
	return false
}

// rounding is the seconds, and the share of a cost, below which differences do not count.
const rounding = 1e-7

// alone is the schedule of one cluster with likely boots, and its end with boots at their bound. There is none for a
// cluster that is not ready and no faster than what is: that is left for it once it is (pair).
func (p *Planner) alone(x *leg, a *Cluster) (out Schedule, bound float64) {
	if x.boots.bound > 0 && x.rate > 0 && a.Rate <= p.up.Rate {
		return out, never
	}
	begins, left, early := x.at(x.boots.bound)
	bound = min(begins+left/a.Rate, early)
	boots := x.boots.likely
	begins, left, early = x.at(boots)
	out = Schedule{First: a, Boots: x.boots.bound, End: begins + left/a.Rate}
	out.USD = (x.usd*boots + a.USD*(out.End-boots)) / 3600
	if early < out.End {
		out.End = early
		out.USD = x.usd * early / 3600
		boots = early
	}
	out.USD += p.topUp(&out, boots, out.End, 0)
	out.Until = out.End
	return out, bound
}

// spare is kept of the time where a cluster is left for a slower one, s.
const spare = 0.1

// pairs looks for a cheaper schedule than the cheapest so far: cluster a, with which alone the job would be in time,
// and then another one, which ends just in time.
func (p *Planner) pairs(s *Start, x *leg, a *Cluster, cheapest *Schedule) {
	begins, work, _ := x.at(x.boots.likely)
	left := s.Left - spare - begins
	before := x.usd*x.boots.likely + a.USD*(begins-x.boots.likely)
	for _, b := range p.list {
		if !b.corner || b.USD >= a.USD || b.Rate >= a.Rate || left <= 0 {
			continue
		}
		first, then := split(work, a.Rate, b.Rate, left)
		if p.coarse || before+a.USD*first+b.USD*then < 3600*cheapest.USD*(1-rounding) { // else what comes now only adds
			p.pair(s, x, a, b, begins, work, before, cheapest)
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

// pair is the schedule of cluster a, which trains from begins on, and then b, if it is the cheapest so far. Before is
// what is paid until a trains, USD/h times seconds.
func (p *Planner) pair(s *Start, x *leg, a, b *Cluster, begins, work, before float64, cheapest *Schedule) {
	stall := p.stall(a, b)
	left := s.Left - spare - begins - stall
	first, then := split(work, a.Rate, b.Rate, left)
	if !(left > 0 && then > 0) {
		return
	}
	usd := before + a.USD*first + b.USD*(stall+then)
	over := begins + first // when b takes over
	boots := lag{}
	if !b.within(a.Counts) { // b boots while a does or trains
		boots = p.wait(b, a.Counts, a.Counts)
		for k, n := range b.Counts {
			usd += float64(float64(max(n-a.Counts[k], 0)) * p.prices[k] * boots.likely)
		}
	}
	if boots.bound >= over {
		return // nothing is left for a: b is weighed up alone, and a would be held until the next look, again and again
	}
	pair := Schedule{First: a, Then: b, Boots: x.boots.bound, Until: over - boots.bound, End: over + stall + then, InTime: true}
	pair.USD = usd/3600 + p.topUp(&pair, x.boots.likely, over, boots.likely)
	if p.cheaper(&pair, cheapest) {
		*cheapest = pair
	}
}

// Whole returns what the whole job costs from its submission on, as if nothing was held, USD, with parameter servers of
// a price an hour; +Inf if it cannot be done in time, and where there is nothing on demand. Instances are ready within
// the boot time that is planned with at a probability of share, which must be the same in all calls. After is the same
// if it begins two boots later.
func (p *Planner) Whole(share, serversUSD float64) (usd, after float64) {
	objective, t := p.v.Job(p.j).Objective(), p.table
	if !t.known || t.objective != objective {
		p.planWhole(share, objective.Within.Seconds())
		t.known, t.objective = true, objective
	}
	return t.usd + serversUSD*t.end/3600, t.after + serversUSD*t.afterEnd/3600
}

// planWhole plans the whole job within some seconds from its submission on.
func (p *Planner) planWhole(share, within float64) {
	have, up, list, planned := p.have, p.up, p.list, p.Share
	p.have, p.up, p.list, p.Share = p.none, Cluster{Counts: p.none}, p.table.whole[:0], share
	p.fresh()
	t := p.table
	p.start = Start{Loss: never, Left: within}
	t.usd, t.end = p.inTime()
	p.start.Left -= 2 * p.Boot()
	t.after, t.afterEnd = p.inTime()
	t.whole = p.list
	p.have, p.up, p.list, p.Share = have, up, list, planned
}

// inTime returns what the cheapest schedule that ends in time costs from start on, USD, and when it ends, s; +Inf if
// there is none.
func (p *Planner) inTime() (usd, end float64) {
	if out, _ := p.Plan(&p.start); out.InTime {
		return out.USD, out.End
	}
	return never, 0
}
