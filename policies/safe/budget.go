package safe

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// cost returns what the schedule costs that is requested on demand if nothing is trained for some seconds, USD, with
// the job's parameter servers. If none is in time any more it is +Inf, or what the soonest costs where the base decides
// itself when on demand begins: the deadline stops that one then, not the limit. What was trained is not lost, but spot
// instances stop training when they go.
func (s *Safe) cost(c *clock, seconds float64) float64 { return s.costFrom(c, c.request(), seconds) }

// costFrom is cost from a start on, whatever is lost.
func (s *Safe) costFrom(c *clock, start ondemand.Start, seconds float64) float64 {
	usd, _ := s.costBy(&s.planner, c, start, seconds)
	return usd
}

// costBy is costFrom from what a planner has taken in, and returns the schedule, too.
func (s *Safe) costBy(p *ondemand.Planner, c *clock, start ondemand.Start, seconds float64) (float64, ondemand.Schedule) {
	start.Loss = c.now
	start.Pause = max(start.Pause-seconds, 0)
	start.Left -= seconds
	start.Later = seconds
	if c.lax && start.Stall > 0 && p.Placed() && (c.comes || c.spot == 0) { // what comes stops pipelines
		start.Left -= p.Loss().Stall.Seconds()
	}
	best, _ := p.Plan(&start)
	if !best.InTime && !c.lax {
		return math.Inf(1), best
	}
	usd := c.priced(&best)
	if c.lax { // money goes by likely stops, deadlines by their bound
		usd -= max(start.Stall-p.Loss().Stall.Seconds(), 0) * best.First.USD / 3600
	}
	return usd, best
}

// priced returns what a schedule costs with the job's parameter servers, USD.
func (c *clock) priced(s *ondemand.Schedule) float64 { return s.USD + c.servers*s.End/3600 }

// budget works out the clocks of all jobs and by how much what was paid and the cheapest schedules on demand from now
// on exceed the limit, USD: the whole of all jobs on demand alone, and the share Regret more. Without a limit it is
// -Inf.
func (s *Safe) budget(v sim.View, plan *sim.Plan) float64 {
	bill := v.Bill()
	ahead := bill.Total() - bill.Tax
	limit := 0.0
	for j := range v.Jobs() {
		job := v.Job(j)
		if job.Submitted() > v.Now() {
			continue
		}
		c := s.updateClock(v, j, 0, false, plan)
		limit += c.whole
		if job.Active() && !c.none {
			ahead += c.ahead
		}
		paid := 0.0
		paid, s.instances = policyutil.PaidAhead(v, j, s.instances)
		ahead += paid
	}
	s.again = 0
	s.limit = (1 + s.Regret) * limit
	if math.IsInf(limit, 1) {
		return math.Inf(-1)
	}
	s.again = s.Regret * limit
	over := ahead - s.limit
	if over <= 0 && s.foreseesLimit() {
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

// apart is how far apart the instants are at which the limit is looked at, where whole hours are paid, s.
const apart = 10.0

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

// restartInVain returns what the restart takes if the first instances that the plan of job j asks for on spot train and
// go, USD. A base that decides itself when on demand begins would see too late that they have come: after a restart
// then, a cheaper schedule may not be in time.
func (s *Safe) restartInVain(v sim.View, j int, c *clock, plan *sim.Plan) float64 {
	if !c.fresh || c.joins || !asksForSpot(v, j, plan) {
		return 0
	}
	if v.Jobs() > 1 { // the planner has looked at another one since
		s.planner.Update(v, j, nil, false, plan)
	}
	start := c.start()
	start.Stall = s.planner.Loss().Stall.Seconds()
	boot := 0.0
	if c.lax {
		start.Stall = s.stopOf(v.Job(j))
		for p, n := range plan.Jobs[j].Hold {
			if n > 0 && !v.Pool(p).OnDemand {
				boot = max(boot, v.Pool(p).Boot.Mean().Seconds())
			}
		}
	}
	return s.costFrom(c, start, boot) - c.ahead
}

// until returns when on demand has to begin for the limit, if nothing is trained until then and what is held costs
// usdPerH; largest if that is later, s. It is at a whole second of the run, so that decisions in between change
// nothing.
func (s *Safe) until(v sim.View, over, largest, usdPerH float64, plan *sim.Plan) float64 {
	if math.IsInf(over, -1) {
		return largest
	}
	if s.planner.BillsCoarsely() { // what whole hours cost rises and falls: the first instant counts
		end := min(largest, longest.Seconds())
		largest = min(apart, end)
		for largest < end && s.later(v, over, largest+lead, usdPerH, plan) <= 0 {
			largest = min(largest+apart, end)
		}
	}
	if s.later(v, over, largest+lead, usdPerH, plan) <= 0 {
		return largest
	}
	since := v.Now().Sub(v.Start()) % time.Second
	tick := func(n int) float64 { return (time.Duration(n)*time.Second - since).Seconds() }
	low := 0
	high := int(math.Ceil(largest + since.Seconds()))
	for high-low > 1 {
		middle := (low + high) / 2
		if s.later(v, over, tick(middle)+lead, usdPerH, plan) <= 0 {
			low = middle
		} else {
			high = middle
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
