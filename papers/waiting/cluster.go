package waiting

import (
	"math"

	"github.com/marigram/marigram/papers/internal/queue"
)

// Policy is who waits for a fixed cluster and who goes to on-demand
// machines: "Waiting Game" (Ambati et al., SC 2020).
type Policy uint8

// The policies, by the names of the paper.
const (
	NoJobsWait      Policy = iota // NJW: who finds all busy goes on demand
	AllJobsWait                   // AJW
	ShortWaitsWait                // SWW: who would wait longer than MaxWait goes on demand at once
	AllWaitTimedOut               // AJW-T: the same, but those find out by waiting MaxWait
	LongJobsWait                  // LJW: jobs longer than LongJob wait, the others go on demand
)

// Cluster is an M/M/s queue: fixed machines with exponential arrivals and
// run times, one machine a job, first come first served, and as many on-demand
// machines as are needed.
type Cluster struct {
	Policy        Policy
	Arrivals      float64 // jobs per second
	Service       float64 // 1/mean run time, per second
	Servers       int     // fixed machines
	FixedPrice    float64 // of a fixed machine and unit of time
	OnDemandPrice float64 // of an on-demand machine
	MaxWait       float64 // seconds (SWW, AJW-T)
	LongJob       float64 // seconds (LJW)
}

// Outcome is what a policy comes to.
type Outcome struct {
	Wait     float64 // mean over all jobs, seconds
	Price    float64 // of a unit of work, by offered and not by carried load
	OnDemand float64 // share of jobs that go on demand
}

// ClosedForm returns what the policy comes to in the long run. Without a
// stationary state (AllJobsWait and LongJobsWait with as much work as machines,
// or more) the wait is +Inf.
func (c *Cluster) ClosedForm() Outcome {
	a := c.Arrivals / c.Service
	rho := a / float64(c.Servers)
	o := Outcome{Price: c.FixedPrice / rho}
	switch c.Policy {
	case NoJobsWait:
		o.OnDemand = queue.ErlangB(c.Servers, a)
	case AllJobsWait:
		o.Wait = queue.MeanWait(c.Arrivals, c.Service, c.Servers)
	case ShortWaitsWait, AllWaitTimedOut:
		o.Wait, o.OnDemand = c.shortWaits(a)
		if c.Policy == AllWaitTimedOut {
			o.Wait += o.OnDemand * c.MaxWait
		}
	case LongJobsWait:
		return c.longJobs()
	}
	o.Price += o.OnDemand * c.OnDemandPrice
	return o
}

// shortWaits returns the mean wait and the share that goes on demand where waits
// of more than MaxWait are refused: the virtual waiting time, cut there.
func (c *Cluster) shortWaits(a float64) (wait, onDemand float64) {
	full := float64(c.Servers) * c.Service
	d, b, blocked := full-c.Arrivals, c.MaxWait, queue.ErlangB(c.Servers, a)
	beta := full * blocked / (1 - blocked)
	gone := math.Exp(-d * b)
	if x := d * b; math.Abs(x) < 0.01 { // as much work as machines, or nearly: the differences below lose their digits, and are 0/0 at last
		alpha := 1 / (1 + beta*(b*(1-x/2*(1-x/3*(1-x/4*(1-x/5))))+gone/full))
		return alpha * beta * b * b * (1.0/2 - x*(1.0/3-x*(1.0/8-x*(1.0/30-x/144)))), alpha * beta * gone / full
	}
	alpha := 1 / (1 + beta*(1/d-gone*c.Arrivals/(d*full)))
	return alpha * beta * (1 - d*b*gone - gone) / (d * d), alpha * beta * gone / full
}

// longJobs approximates the jobs longer than LongJob as M/G/s with the mean and
// the variation of a shifted exponential distribution, after Lee and Longton.
func (c *Cluster) longJobs() Outcome {
	long := math.Exp(-c.Service * c.LongJob) // share of jobs
	service := c.Service / (c.Service*c.LongJob + 1)
	arrivals := c.Arrivals * long
	variation := service / c.Service
	work := long * c.Service / service // share of the work
	rho := arrivals / service / float64(c.Servers)
	return Outcome{
		Wait:     long * queue.MeanWait(arrivals, service, c.Servers) * (variation*variation + 1) / 2,
		Price:    work*c.FixedPrice/rho + (1-work)*c.OnDemandPrice,
		OnDemand: 1 - long,
	}
}
