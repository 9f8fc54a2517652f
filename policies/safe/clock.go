package safe

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// clock says what a job has time for, in seconds.
type clock struct {
	of onDemand

	left, reserve float64
	now, worst    float64 // losses: from which on demand alone goes on, and after a loss of all instances
	boot          float64 // mean, of the slowest pool on demand
	pause         float64 // to go on after a loss of spot instances, and on demand
	keep          float64 // to the goal on what runs or comes, its boot included
	held          float64 // to the goal on what is held on demand alone, without a boot
	sized         float64 // to the goal on the number on demand that is reckoned with
	fastest       float64 // to the goal on the fastest cluster on demand
	dear, spot    int     // instances held on demand and on spot
	joins         bool    // a loss of spot instances costs nothing: they train beside on demand
	fatal         bool    // it ends the job: spot is not for it
}

// onDemand plans clusters on demand for one kind of model.
type onDemand interface {
	// look fills in keep, held, sized and fastest.
	look(v sim.View, j int, s *Safe, c *clock, plan *sim.Plan)
	// request has job j hold the cheapest cluster on demand that is done within seconds,
	// beside what runs or comes if the clock's action is join; the fastest if none is.
	request(v sim.View, j int, c *clock, seconds float64, plan *sim.Plan)
	// typical returns a layout on demand, to ask what the loss of an instance costs.
	typical(v sim.View, j int) *sim.Layout
	// layout returns the pipelines and stages for n instances on demand.
	layout(v sim.View, j, n int) (pipelines, stages int)
}

// action is what the policy does for a job.
type action uint8

const (
	leave action = iota // to the base
	goOn                // with what runs or comes
	join                // request on demand beside what runs or comes
	alone               // request on demand that is in time alone
)

// action returns what to do. Two instants matter: from the first, the number on demand
// that is reckoned with would be too late; from the second, the fastest cluster would.
func (c *clock) action() action {
	switch {
	case c.dear == 0 && math.IsInf(c.fastest, 1): // there is nothing on demand
		return leave
	case !c.near() && !c.fatal:
		return leave
	case c.dear > 0 && c.held <= c.left:
		return goOn // on demand stays
	case c.last() || c.fatal || c.past() && !c.joins:
		return alone
	case c.past() && c.keep+c.reserve/2 > c.left, c.dear > 0 && c.keep > c.left:
		return join
	case c.past(), c.dear > 0:
		return goOn
	}
	return leave
}

// past reports whether the number on demand that is reckoned with is too late, with
// the reserve, if it is requested later than now.
func (c *clock) past() bool { return c.slack(c.sized, c.reserve) <= 0 }

// last reports whether the fastest cluster is.
func (c *clock) last() bool { return c.slack(c.fastest, c.reserve/2) <= 0 }

// near reports whether it is not long until then, or not long after: on demand, once
// held, is not given back at once.
func (c *clock) near() bool {
	if c.dear > 0 {
		return c.slack(c.sized, 2*c.reserve) <= 0 || c.last()
	}
	return c.past() || c.last()
}

func (c *clock) slack(seconds, reserve float64) float64 {
	return c.left - seconds - c.pause - c.boot - reserve
}

// wake has the policy asked before the next of these instants, but not within the grain.
func (c *clock) wake(grain float64, plan *sim.Plan) {
	next := longest.Seconds()
	for _, wait := range []float64{c.slack(c.sized, c.reserve), c.slack(c.fastest, c.reserve/2)} {
		if wait > 0 {
			next = min(next, wait)
		}
	}
	plan.WakeIn(time.Duration(math.Ceil(max(next, 1e-3, grain) * 1e9)))
}

// explain tells a recorder what the decision is based on.
func (c *clock) explain(plan *sim.Plan) {
	plan.AddInput("time left", c.left, "s")
	plan.AddInput("until on demand has to come", c.slack(c.sized, c.reserve), "s")
	plan.AddInput("until only the fastest cluster on demand would do", c.slack(c.fastest, c.reserve/2), "s")
	plan.AddInput("time on what runs or comes", c.keep, "s")
}
