package safe

import (
	"math"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
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

	whole     float64           // USD of the whole job on demand alone; +Inf if that is not in time
	ahead     float64           // USD of the schedule on demand from now on, if nothing is lost
	last      float64           // spare time of the schedule on demand that ends first
	sized     float64           // spare time of the number on demand that is counted on
	over      float64           // USD by which what is paid and the schedule to come exceed the limit
	headroom  float64           // USD below which it has to be before on demand is given back
	best      ondemand.Schedule // on demand alone
	spot      int               // instances held
	expensive int               // on demand
	none      bool              // there is nothing on demand
	joins     bool              // a loss of spot instances costs nothing: they train next to on demand
	fatal     bool              // it ends the job: spot is not for it
	lax       bool              // the base decides when on demand begins (Safe.Late)
}

// action is what the policy does for a job.
type action uint8

const (
	leave action = iota // to the base
	join                // on demand next to the spot instances that run
	alone               // on demand alone
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
	case c.joins:
		return join
	}
	return alone
}

// early reports whether the number on demand that is counted on would be too late; on demand, once held, is not given
// back at once.
func (c *clock) early() bool {
	if c.lax {
		return false
	}
	if c.expensive > 0 {
		return c.sized <= 2*c.reserve || c.last <= c.reserve
	}
	return c.sized <= c.reserve
}

// short reports whether waiting for spot would cost more than is allowed.
func (c *clock) short() bool {
	if c.expensive > 0 {
		return c.over > -c.headroom
	}
	return c.over > 0
}

// explain tells a recorder what the decision is based on.
func (c *clock) explain(plan *sim.Plan) {
	plan.AddInput("time left", c.left, "s")
	if !c.lax {
		plan.AddInput("until on demand begins, to be cheaper", c.sized-c.reserve, "s")
	}
	plan.AddInput("until the last plan on demand that is in time begins", c.last, "s")
	plan.AddInput("what is paid and the plan on demand, beyond the limit", c.over, "USD")
	plan.AddInput("the plan on demand", c.best.USD, "USD")
}

// sparesAtMost is +Inf where the policy may wait with its base, else 0: a policy within another one is asked for
// everything, and so is one that looks less often than its base.
func (s *Safe) sparesAtMost(v sim.View) float64 {
	if _, waits := s.Base.(policyutil.Waiter); waits && s.grain == 0 && v.Asks(s) {
		return math.Inf(1)
	}
	return 0
}

// spares returns for how many seconds the clock of job j has nothing to decide unless an event comes, even if nothing
// trained until then; 0 where that is not known.
func (s *Safe) spares(v sim.View, j int, c *clock) float64 {
	if c.none || c.action() != leave || c.expensive > 0 || asksOnDemand(v, j) {
		return 0
	}
	return min(c.sized-c.reserve, c.last)
}

// rises is how much the price of what is held may rise until the policy looks again.
const rises = 2

// affords returns for how many seconds, up to spare, the budget lasts if nothing trains and prices rise by a factor.
func (s *Safe) affords(v sim.View, spare, over float64, plan *sim.Plan) float64 {
	if math.IsInf(over, -1) {
		return spare
	}
	return s.until(v, over, spare, rises*paying(v), plan)
}

// rest leaves out looks of the policy and its base for a span in seconds, and reports whether it does. Events are all
// asked for: looks are counted from them.
func (s *Safe) rest(v sim.View, spare, over float64, plan *sim.Plan) bool {
	base, apart := s.Base.(policyutil.Waiter), longest
	if every := base.PollEvery(); every > 0 {
		apart = min(apart, every)
	}
	if spare = min(spare, base.Spares(v)); math.IsInf(spare, 1) || spare <= 2*apart.Seconds() {
		return false
	}
	if !policyutil.Rest(v, base, s.affords(v, spare, over, plan), apart, plan) {
		return false
	}
	plan.WaitFor(sim.AnyEvent)
	for p := range v.Pools() {
		if v.Pool(p).OnDemand { // the schedules are of these prices
			plan.WakeWhen(sim.PriceOutside(p, v.Price(p), v.Price(p)).Every(apart))
		}
		for _, j := range v.ActiveJobs() {
			if v.Held(j, p).Want > 0 && !math.IsInf(over, -1) {
				plan.WakeWhen(sim.PriceOutside(p, 0, rises*v.Price(p)).Every(apart))
				break
			}
		}
	}
	if plan.Recorded() {
		for _, j := range v.ActiveJobs() {
			s.updateClock(v, j, over, false, plan).explain(plan)
		}
	}
	return true
}

// asksOnDemand reports whether requests of job j on demand wait: how long, counts.
func asksOnDemand(v sim.View, j int) bool {
	for p := range v.Pools() {
		if n, _ := v.Waiting(j, p); n > 0 && v.Pool(p).OnDemand {
			return true
		}
	}
	return false
}
