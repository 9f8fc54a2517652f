package safe

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// margin is kept of the time for the rounding of instants, s.
const margin = 1.0

// updateClock works out the clock of job j. over is what the budget is exceeded by, and planned says
// that the job keeps no more on demand than the plan holds.
func (s *Safe) updateClock(v sim.View, j int, over float64, planned bool, plan *sim.Plan) *clock {
	for len(s.clocks) <= j {
		s.clocks = append(s.clocks, clock{})
	}
	job, c, p := v.Job(j), &s.clocks[j], &s.planner
	*c = clock{left: job.Deadline().Sub(v.Now()).Seconds() - margin, reserve: s.Reserve.Seconds(), over: over, now: job.Loss(), worst: job.Loss(),
		lax: s.Late}
	s.runs = s.runs[:0]
	for k := range v.Pools() {
		h, n := v.Held(j, k), 0
		if v.Pool(k).OnDemand {
			c.expensive += h.Active()
		} else {
			n = h.Active()
			c.spot += n + h.Noticed
			if planned {
				c.spot += plan.Jobs[j].Hold[k]
			}
		}
		s.runs = append(s.runs, int32(n))
	}
	p.Share = s.Share
	p.Update(v, j, nil, planned, plan)
	if c.none = !p.Possible(); c.none {
		return c
	}
	if end := job.Paused(); end != sim.Never {
		c.pause = end.Sub(v.Now()).Seconds()
	}
	loss := p.Loss()
	c.fatal = loss.Fatal
	stall := 0.0
	if c.joins = !loss.Rollback && !loss.Fatal && loss.Stall == 0; !c.joins && (planned || c.spot > 0 || c.expensive == 0 || !job.Training() &&
		job.Paused() == sim.Never) {
		c.worst, stall = job.SavedLoss(), loss.Stall.Seconds()
		if planned || c.spot == 0 && c.expensive == 0 { // what the last instances had not saved went with them
			c.now = c.worst
		}
		if p.Placed() { // giving back spot instances is a loss of their places
			stall += stall + 2*saving(job).Seconds() + 60
		}
	}
	c.stall = stall
	start := c.start()
	var soonest float64
	c.best, soonest = p.Plan(&start)
	c.last = c.left - soonest
	if c.lax && !c.joins { // instances that the base asks for stop training when they come, and when they go
		c.last -= 3*(loss.Stall.Seconds()+p.Arrives()) + 2*saving(job).Seconds() + 60
	}
	var after float64
	if c.whole, after = p.Whole(); c.lax && !math.IsInf(after, 1) { // a first try of spot is within the limit, however short the job is
		c.whole = max(c.whole, after/(1+s.Regret))
	}
	c.ahead = s.cost(c, 0)
	size := s.Size
	if size == 0 {
		size = p.Sized((1 - s.Slack) * job.Objective().Within.Seconds())
	}
	c.sized = c.left - p.Seconds(c.worst, size) - stall - p.Boot()
	if !c.lax {
		c.headroom = c.best.First.USD * c.reserve / 3600
	}
	return c
}

// start returns where a schedule on demand alone begins.
func (c *clock) start() ondemand.Start {
	return ondemand.Start{Loss: c.worst, Pause: c.pause, Stall: c.stall, Left: c.left + margin/2}
}

// cost returns what the cheapest schedule on demand costs, USD, if nothing is lost and nothing is trained for some seconds.
func (s *Safe) cost(c *clock, seconds float64) float64 {
	s.start = ondemand.Start{Loss: c.now, Left: c.left - seconds}
	return s.planner.Likely(&s.start).USD
}

// budget works out the clocks of all jobs and by how much what was paid and the cheapest schedules on demand from now on
// exceed the limit, USD: the whole of all jobs on demand alone, and the share Regret more. Without a limit it is -Inf.
func (s *Safe) budget(v sim.View, plan *sim.Plan) float64 {
	bill, limit := v.Bill(), 0.0
	ahead := bill.Total()
	for j := range v.Jobs() {
		job := v.Job(j)
		if job.Submitted() > v.Now() {
			continue
		}
		c := s.updateClock(v, j, 0, false, plan)
		if limit += c.whole; job.Active() && !c.none {
			ahead += c.ahead
		}
	}
	if math.IsInf(limit, 1) {
		return math.Inf(-1)
	}
	return ahead - (1+s.Regret)*limit
}

// later returns by how much the budget will be exceeded if nothing is trained for some seconds and what is held costs
// usdPerH until then.
func (s *Safe) later(v sim.View, over, seconds, usdPerH float64, plan *sim.Plan) float64 {
	over += usdPerH * seconds / 3600
	for _, j := range v.ActiveJobs() {
		c := &s.clocks[j]
		if c.none {
			continue
		}
		if v.Jobs() > 1 { // the planner has looked at another one since
			s.planner.Update(v, j, nil, false, plan)
		}
		over += s.cost(c, seconds) - c.ahead
	}
	return over
}

// Safe is the safe form of Base. What it promises is Promise.
type Safe struct {
	Base sim.Policy
	As   string // its name; empty is "safe:" and the name of the base
	// Late leaves to the base when on demand begins: it is stopped only where the deadline would be at risk, or the limit of
	// Regret is reached.
	Late bool

	Share   float64       `set:"boot_share" min:"0.5" max:"0.999999" doc:"probability with which the instances of a cluster are ready within the boot time that is planned with"`
	Regret  float64       `set:"regret" min:"0" max:"100" doc:"maximum share by which waiting for spot may make the run more expensive than the best plan on demand alone"`
	Reserve time.Duration `set:"reserve_s" min:"1" max:"86400" doc:"time before which on demand begins with the number that is planned with, and for which it stays, once it is held"`
	Size    int           `set:"on_demand_instances" min:"0" max:"4096" doc:"number of instances on demand that is planned with: fewer cost less, but on demand begins earlier; 0 takes the smallest that leaves the share slack of the time"`
	Slack   float64       `set:"slack" min:"0" max:"0.9" doc:"share of the objective's time that the number on demand which is planned with leaves; without effect if on_demand_instances is set"`

	grain   float64 // seconds that it does not look again, at least (SetRough)
	planner ondemand.Planner
	saver   policyutil.LossSaver
	clocks  []clock // by job
	start   ondemand.Start
	runs    []int32 // spot instances by pool that start or are ready
}

// until returns when the budget is used up, if nothing is trained until then and what is held costs usdPerH; most if that is
// later, s.
func (s *Safe) until(v sim.View, over, largest, usdPerH float64, plan *sim.Plan) float64 {
	if math.IsInf(over, -1) || s.later(v, over, largest, usdPerH, plan) <= 0 {
		return largest
	}
	low, high := 0.0, largest
	for high-low > 1 {
		if mid := (low + high) / 2; s.later(v, over, mid, usdPerH, plan) <= 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// paying is what all jobs hold or have requested costs, with their parameter servers, USD/h.
func paying(v sim.View) float64 {
	usdPerH := 0.0
	for _, j := range v.ActiveJobs() {
		usdPerH += v.Job(j).ServersUSD()
		for p := range v.Pools() {
			usdPerH += float64(float64(v.Held(j, p).Want) * v.Price(p))
		}
	}
	return usdPerH
}

// saving returns how long it takes until a save is safe.
func saving(job sim.JobView) time.Duration {
	return job.SaveTime() + job.PersistTime()
}

// longest is the time after which the policy looks again: rates and prices are means.
const longest = 10 * time.Minute
