package safe

import (
	"math"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// clock says what a job has time and money for. Times are in seconds.
type clock struct {
	left    float64 // to the deadline
	now     float64 // loss from which on demand goes on if nothing is lost
	worst   float64 // loss after a loss of all spot instances
	pause   float64 // until training can go on
	stall   float64 // of a loss of all spot instances, and of changing over
	reserve float64
	servers float64 // USD/h of the job's parameter servers

	whole    float64           // USD of the whole job on demand alone; +Inf if that is not in time
	ahead    float64           // USD of the schedule on demand from now on, if nothing is lost
	last     float64           // spare time of the schedule on demand that ends first
	stops    float64           // that are kept for stops by what the base asks for
	sized    float64           // spare time of the number on demand that is counted on
	over     float64           // USD by which what is paid and the schedule to come exceed the limit
	again    float64           // USD beyond the limit that swaps of on demand for spot may risk
	headroom float64           // USD below which it has to be before on demand is given back
	best     ondemand.Schedule // on demand alone
	spot     int               // instances held
	onDemand int               // instances held
	none     bool              // there is nothing on demand
	joins    bool              // a loss of spot instances costs nothing: they train next to on demand
	fatal    bool              // it ends the job: spot is not for it
	comes    bool              // spot instances start, or are requested
	fresh    bool              // nothing was trained yet, and no spot instance is held
	lax      bool              // the base decides when on demand begins (Safe.Late)
	swaps    bool              // spot next to on demand may take over
}

// margin is kept of the time for the rounding of instants, s.
const margin = 1.0

// updateClock works out the clock of job j. over is what the budget is exceeded by, and planned says
// that the job keeps no more on demand than the plan holds.
func (s *Safe) updateClock(v sim.View, j int, over float64, planned bool, plan *sim.Plan) *clock {
	for len(s.clocks) <= j {
		s.clocks = append(s.clocks, clock{})
	}
	job := v.Job(j)
	c := &s.clocks[j]
	*c = clock{
		left:    job.Deadline().Sub(v.Now()).Seconds() - margin,
		reserve: s.Reserve.Seconds(),
		over:    over,
		again:   s.again,
		now:     job.Loss(),
		worst:   job.Loss(),
		lax:     s.Late,
	}
	if !c.lax {
		c.servers = job.ServersUSD()
	}
	s.countHeld(v, j, c, planned, plan)
	s.planner.Share = s.Share
	s.planner.Update(v, j, nil, planned, plan)
	c.none = !s.planner.Possible()
	if c.none {
		return c
	}
	if end := job.Paused(); end != sim.Never {
		c.pause = end.Sub(v.Now()).Seconds()
	}
	loss := s.planner.Loss()
	c.fatal = loss.Fatal
	c.joins = !loss.Rollback && !loss.Fatal && loss.Stall == 0
	c.swaps = s.canSwap(v, j, c)
	kept := planned && (c.swaps || !s.lossOfOne.Of(job.Model(), job.Layout()).Rollback) && s.keepsProgress(v, j, plan)
	s.foreseeLoss(job, c, planned, kept)
	c.fresh = c.spot == 0 && !job.Begun()
	s.planOnDemand(job, c)
	if !c.best.InTime { // nothing is sure: what ondemand would hold, which is at least likely
		last := c.last
		s.planner.Share = min(usual, s.Share)
		s.planner.Update(v, j, nil, planned, plan)
		s.planOnDemand(job, c)
		c.last = min(last, c.last)
	}
	s.priceOnDemand(c)
	size := s.Size
	if size == 0 {
		size = s.planner.Sized((1 - s.Slack) * job.Objective().Within.Seconds())
	}
	c.sized = c.left - s.planner.Seconds(c.worst, size) - c.stall - s.planner.Boot()
	return c
}

// countHeld counts what job j holds, on spot also what the plan asks for, if it is planned.
func (s *Safe) countHeld(v sim.View, j int, c *clock, planned bool, plan *sim.Plan) {
	s.spot = s.spot[:0]
	for p := range v.Pools() {
		held := v.Held(j, p)
		spot := 0
		if v.Pool(p).OnDemand {
			c.onDemand += held.Active()
		} else {
			spot = held.Active()
			c.spot += spot + held.Noticed
			c.comes = c.comes || held.Starting > 0 || held.Waiting > 0
			if planned {
				c.spot += plan.Jobs[j].Hold[p]
				c.comes = c.comes || plan.Jobs[j].Hold[p] > held.Ready
			}
		}
		s.spot = append(s.spot, int32(spot))
	}
}

// foreseeLoss works out what a loss of all spot instances costs, or of what is given back. If what trains is kept, a
// loss is not what is likely.
func (s *Safe) foreseeLoss(job sim.JobView, c *clock, planned, kept bool) {
	if c.joins {
		return
	}
	idle := !job.Training() && job.Paused() == sim.Never
	if !planned && c.spot == 0 && c.onDemand > 0 && !idle {
		return // on demand trains, and nothing else
	}
	loss := s.planner.Loss()
	if loss.Rollback || loss.Fatal {
		c.worst = job.SavedLoss()
	}
	c.stall = s.stopOf(job)
	if planned && !kept || c.spot == 0 && c.onDemand == 0 { // what the last instances had not saved went with them
		c.now = c.worst
	}
}

// stopOf returns for how long a loss of all spot instances, or the change over from them, stops a job, s.
func (s *Safe) stopOf(job sim.JobView) float64 {
	stall := s.planner.Loss().Stall.Seconds()
	if s.planner.Placed() { // giving back spot instances is a loss of their places
		stall += stall + 2*saving(job).Seconds() + 60
	}
	return stall
}

// planOnDemand plans on demand alone, as it would be requested now, and works out how long that can wait.
func (s *Safe) planOnDemand(job sim.JobView, c *clock) {
	start := c.start()
	var soonest float64
	c.best, soonest = s.planner.Plan(&start)
	c.last = c.left - soonest
	if c.fresh && c.stall > 0 {
		start = c.request()
		c.best, _ = s.planner.Plan(&start)
	}
	if c.lax && !c.joins { // instances that the base asks for stop training when they come, and when they go
		stops := s.planner.Loss().Stall.Seconds() + s.planner.Arrives()
		c.stops = 3*stops + 2*saving(job).Seconds() + 60
		c.last -= c.stops
	}
}

// usual is the boot_share of ondemand unless it is told otherwise: the limit is a share of what that plans.
const usual = 0.9

// priceOnDemand works out what the whole job and its rest cost on demand alone.
func (s *Safe) priceOnDemand(c *clock) {
	if c.lax {
		whole, after := s.planner.Whole(s.Share, c.servers)
		if !s.planner.BillsCoarsely() && !math.IsInf(after, 1) { // a first try of spot is within the limit
			whole = max(whole, after/(1+s.Regret))
		}
		if s.planner.BillsCoarsely() && after <= (1+2*s.Regret)*whole { // so is another hour, of jobs that take many
			whole = max(whole, after)
		}
		c.whole = whole + s.planner.Restart()/(1+s.Regret) // a try of spot may be lost
	} else {
		c.whole, _ = s.planner.Whole(usual, c.servers)
		c.headroom = c.best.First.USD * c.reserve / 3600
	}
	c.ahead = s.cost(c, 0)
}

// start returns where a schedule on demand alone begins.
func (c *clock) start() ondemand.Start {
	return ondemand.Start{Loss: c.worst, Pause: c.pause, Stall: c.stall, Left: c.left + margin/2}
}

// request returns where what is requested now begins: what was never trained starts without a stall, unless spot comes
// before.
func (c *clock) request() ondemand.Start {
	start := c.start()
	if c.fresh {
		start.Stall = 0
	}
	return start
}

// action is what the policy does for a job.
type action uint8

const (
	leave  action = iota // to the base
	join                 // on demand next to the spot instances that run
	beside               // on demand, until spot that the base holds next to it is ready
	alone                // on demand alone
)

// action returns what to do.
func (c *clock) action() action {
	switch {
	case c.none:
		return leave
	case c.fatal, c.last <= 0:
		return alone
	case !c.early() && !c.short():
		return leave
	case c.swaps && c.over <= c.again:
		return beside
	case c.joins:
		return join
	}
	return alone
}

// asksBase reports whether the base decides what spot instances there are: also next to on demand, where time is not
// short.
func (c *clock) asksBase() bool {
	switch c.action() {
	case leave, beside:
		return true
	case join:
		return c.short() && !c.early()
	}
	return false
}

// early reports whether the number on demand that is counted on would be too late; on demand, once held, is not given
// back at once.
func (c *clock) early() bool {
	if c.lax {
		return false
	}
	if c.onDemand > 0 {
		return c.sized <= 2*c.reserve || c.last <= c.reserve
	}
	return c.sized <= c.reserve
}

// short reports whether waiting for spot would cost more than is allowed.
func (c *clock) short() bool {
	if c.onDemand > 0 {
		return c.over > -c.headroom
	}
	return c.over > 0
}
