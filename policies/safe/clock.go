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
	fresh     bool              // nothing was trained yet, and no spot instance is held
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
	if !math.IsInf(c.over, -1) { // without a limit nothing is beyond it
		plan.AddInput("what is paid and the plan on demand, beyond the limit", c.over, "USD")
	}
	plan.AddInput("the plan on demand", c.best.USD, "USD")
}
