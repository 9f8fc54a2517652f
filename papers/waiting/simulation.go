package waiting

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// The draws of a job.
const (
	purposeArrival = sim.PurposeUser + 200 + iota
	purposeService
)

// Simulation is a discrete-event simulation of a Cluster on sim.Timers:
// one timer a machine, set for when it is free.
type Simulation struct {
	Warmup, Jobs int // jobs that are not counted, and those that are
	Seed         uint64

	free sim.Timers
}

// Run returns the means over the counted jobs; the price is by offered load.
func (r *Simulation) Run(c *Cluster) Outcome {
	r.free.Reset(c.Servers, sim.Time(1)<<53)
	for s := range c.Servers {
		r.free.Set(s, 0)
	}
	dice := sim.Rand{Seed: r.Seed}
	now := sim.Time(0)
	var wait, onDemand, workFixed, work float64
	for job := range uint64(r.Warmup + r.Jobs) {
		now = now.After(dice.Exponential(purposeArrival, 0, job) / c.Arrivals)
		runs := dice.Exponential(purposeService, 0, job) / c.Service
		at, machine := r.free.First()
		ahead := max(at-now, 0).Seconds()
		fixed, waits := c.decide(ahead, runs)
		if fixed {
			r.free.Set(machine, max(at, now).After(runs))
		}
		if job < uint64(r.Warmup) {
			continue
		}
		wait += waits
		work += runs
		if fixed {
			workFixed += runs
		} else {
			onDemand++
		}
	}
	return c.outcome(wait/float64(r.Jobs), onDemand/float64(r.Jobs), workFixed/work)
}

// decide returns whether a job goes to the fixed cluster, where it would wait
// ahead seconds, and how long it waits in all.
func (c *Cluster) decide(ahead, runs float64) (fixed bool, waits float64) {
	switch c.Policy {
	case NoJobsWait:
		return ahead == 0, 0
	case ShortWaitsWait:
		fixed = ahead <= c.MaxWait
	case AllWaitTimedOut:
		return ahead <= c.MaxWait, math.Min(ahead, c.MaxWait)
	case LongJobsWait:
		fixed = runs > c.LongJob
	default:
		fixed = true
	}
	if !fixed {
		return false, 0
	}
	return true, ahead
}

// outcome prices the shares of a run as ClosedForm does: the fixed machines over
// the load that is offered to them, which is all but for LongJobsWait.
func (c *Cluster) outcome(wait, onDemand, workFixed float64) Outcome {
	o := Outcome{Wait: wait, OnDemand: onDemand}
	fixed := c.FixedPrice * float64(c.Servers) * c.Service / c.Arrivals
	if c.Policy == LongJobsWait {
		o.Price = fixed + (1-workFixed)*c.OnDemandPrice
	} else {
		o.Price = fixed + onDemand*c.OnDemandPrice
	}
	return o
}
