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
	share := 0.9 // as ondemand plans unless it is told otherwise
	if c.lax {
		share = likely
	} else {
		c.servers = job.ServersUSD()
	}
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
	c.fresh = c.spot == 0 && !job.Begun()
	var soonest float64
	c.best, soonest = p.Plan(&start)
	c.last = c.left - soonest
	if c.fresh && stall > 0 && !c.lax {
		start = c.request()
		c.best, _ = p.Plan(&start)
	}
	if c.lax && !c.joins { // instances that the base asks for stop training when they come, and when they go
		c.last -= 3*(loss.Stall.Seconds()+p.Arrives()) + 2*saving(job).Seconds() + 60
	}
	var after float64
	if c.whole, after = p.Whole(share, c.servers); c.lax && !math.IsInf(after, 1) { // a first try of spot is within the limit, however short the job is
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

// request returns where what is requested now begins: what was never trained starts without a stall, unless spot comes
// before.
func (c *clock) request() ondemand.Start {
	start := c.start()
	if c.fresh {
		start.Stall = 0
	}
	return start
}

// cost returns what the schedule costs that is requested on demand if nothing is trained for some seconds, USD, with
// the job's parameter servers; +Inf if none is in time any more. What was trained is not lost, but spot instances stop
// training when they go.
func (s *Safe) cost(c *clock, seconds float64) float64 {
	if c.lax {
		return s.likelyCost(c, seconds)
	}
	s.start = c.request()
	return s.costFrom(c, seconds)
}

// costFrom is cost from s.start on, whatever is lost.
func (s *Safe) costFrom(c *clock, seconds float64) float64 {
	s.start.Loss = c.now
	s.start.Pause = max(s.start.Pause-seconds, 0)
	s.start.Left -= seconds
	s.start.Later = seconds
	best, _ := s.planner.Plan(&s.start)
	if !best.InTime {
		return math.Inf(1)
	}
	return c.priced(&best)
}

// likely is the probability of the boots that the limit of a base counts with that decides itself when on demand
// begins: it weighs up what boots and stalls cost, so that with bounds the limit would stop it before it is reached.
const likely = 0.5

// likelyCost is cost for such a base.
func (s *Safe) likelyCost(c *clock, seconds float64) float64 {
	share := s.planner.Share
	s.planner.Share = likely
	s.start = ondemand.Start{Loss: c.now, Left: c.left - seconds, Later: seconds}
	best, _ := s.planner.Plan(&s.start)
	s.planner.Share = share
	return best.USD
}

// priced returns what a schedule costs with the job's parameter servers, USD.
func (c *clock) priced(s *ondemand.Schedule) float64 { return s.USD + c.servers*s.End/3600 }

// budget works out the clocks of all jobs and by how much what was paid and the cheapest schedules on demand from now
// on exceed the limit, USD: the whole of all jobs on demand alone, and the share Regret more. Without a limit it is
// -Inf.
func (s *Safe) budget(v sim.View, plan *sim.Plan) float64 {
	bill, limit := v.Bill(), 0.0
	ahead := bill.Total() - bill.Tax
	for j := range v.Jobs() {
		job := v.Job(j)
		if job.Submitted() > v.Now() {
			continue
		}
		c := s.updateClock(v, j, 0, false, plan)
		if limit += c.whole; job.Active() && !c.none {
			ahead += c.ahead
		}
		paid := 0.0
		paid, s.all = policyutil.PaidAhead(v, j, s.all)
		ahead += paid
	}
	if math.IsInf(limit, 1) {
		return math.Inf(-1)
	}
	over := ahead - (1+s.Regret)*limit
	if over <= 0 && !s.Late {
		soon := s.later(v, over, lead, paying(v), plan)
		if soon > 0 {
			return soon // a moment later a cheaper schedule would not be in time any more
		}
	}
	return over
}

// lead is how long before the limit is reached on demand begins, s: who acts after it finds the schedule gone that it
// counted on.
const lead = 2.0

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
		if !math.IsInf(c.ahead, 1) { // else it is over the limit anyway
			over += s.cost(c, seconds) - c.ahead
		}
	}
	return over
}

// inVain returns what cannot be taken back of the spot instances that the plan of job j asks for, USD: the least that
// they are billed once they come, and the stall of a restart once the first of them have trained and go. What they cost
// beyond that, and the time that passes, is seen as it comes.
func (s *Safe) inVain(v sim.View, j int, c *clock, plan *sim.Plan) float64 {
	usd := 0.0
	for p, n := range plan.Jobs[j].Hold {
		more := n - v.Active(j, p)
		if more > 0 && !v.Pool(p).OnDemand {
			usd += float64(float64(more) * v.Price(p) * v.Billed(p, time.Microsecond).Hours())
		}
	}
	if usd == 0 || !c.fresh || c.joins {
		return usd
	}
	if v.Jobs() > 1 { // the planner has looked at another one since
		s.planner.Update(v, j, nil, false, plan)
	}
	s.start = c.start()
	s.start.Stall = s.planner.Loss().Stall.Seconds()
	return usd + s.costFrom(c, 0) - c.ahead
}

// Safe is the safe form of Base. What it promises is Promise.
type Safe struct {
	Base sim.Policy
	As   string // its name; empty is "safe:" and the name of the base
	// Late leaves to the base when on demand begins: it is stopped only where the deadline would be at risk, or the
	// limit of Regret is reached.
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
	all     []sim.Instance // scratch
	runs    []int32        // spot instances by pool that start or are ready
}

// until returns when on demand has to begin for the limit, if nothing is trained until then and what is held costs
// usdPerH; largest if that is later, s. It is at a whole second of the run, so that decisions in between change
// nothing.
func (s *Safe) until(v sim.View, over, largest, usdPerH float64, plan *sim.Plan) float64 {
	if math.IsInf(over, -1) || s.later(v, over, largest+lead, usdPerH, plan) <= 0 {
		return largest
	}
	since := v.Now().Sub(v.Start()) % time.Second
	tick := func(n int) float64 { return (time.Duration(n)*time.Second - since).Seconds() }
	low := 0
	high := int(math.Ceil(largest + since.Seconds()))
	for high-low > 1 {
		if mid := (low + high) / 2; s.later(v, over, tick(mid)+lead, usdPerH, plan) <= 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return min(tick(high), largest)
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
