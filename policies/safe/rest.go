package safe

import (
	"math"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// sparesAtMost is +Inf where the policy may wait with its base, else 0: a policy within another one is asked for
// everything, and so is one that looks less often than its base.
func (s *Safe) sparesAtMost(v sim.View) float64 {
	if _, waits := s.Base.(policyutil.Waiter); waits && v.Asks(s) {
		return math.Inf(1)
	}
	return 0
}

// spares returns for how many seconds the clock of job j has nothing to decide unless an event comes, even if nothing
// trained until then; 0 where that is not known.
func (s *Safe) spares(v sim.View, j int, c *clock) float64 {
	if c.none || c.action() != leave || c.onDemand > 0 || asksOnDemand(v, j) {
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
	base := s.Base.(policyutil.Waiter)
	apart := longest
	if every := base.PollEvery(); every > 0 {
		apart = min(apart, every)
	}
	spare = min(spare, base.Spares(v))
	if math.IsInf(spare, 1) || spare <= 2*apart.Seconds() {
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
			s.explain(s.updateClock(v, j, over, false, plan), plan)
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
