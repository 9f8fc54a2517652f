package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// Bound is what no policy can beat.
type Bound struct {
	USD      float64 // no run that meets the objective costs less; +Inf if none can
	Seconds  float64 // no run meets it sooner; +Inf if none can within its time
	Progress float64 // units of progress that training takes at least
	Lambda   float64 // USD that one more of them costs at the optimum
	Segments int     // stretches of constant prices and capacity
}

// Possible reports whether the bound does not rule out that a policy meets the objective.
func (b *Bound) Possible() bool { return !math.IsInf(b.USD, 1) }

// Hindsight returns the bound of one job on one market; Config.Policy is not asked. It
// is an error where the bound would not hold, or is not known: free first hours, several
// jobs, instances that outlive the capacity, and models that are neither of alike
// instances nor Separable.
func Hindsight(c sim.Config) (Bound, error) { return hindsight(&c, false) }

// OnSpot is Hindsight for policies that hold nothing on demand.
func OnSpot(c sim.Config) (Bound, error) { return hindsight(&c, true) }

func hindsight(c *sim.Config, onSpot bool) (Bound, error) {
	p, err := newProblem(c, onSpot)
	if err != nil {
		return Bound{}, err
	}
	return p.bound(), nil
}

const secondsPerMonth = 730 * 3600

// problem is one job on one history.
type problem struct {
	c           *sim.Config
	solver      solver
	first, last sim.Time // the job's submission, and the last instant of use to it
	segments    []segment
	goal        float64
}

func newProblem(c *sim.Config, onSpot bool) (*problem, error) {
	switch {
	case len(c.Jobs) != 1:
		return nil, fmt.Errorf("bound: %d jobs, expected 1", len(c.Jobs))
	case c.Billing.FreeFirstHour:
		return nil, fmt.Errorf("bound: first hours of revoked instances are free: what is held has no least cost")
	}
	for p := range c.Market.Pools() {
		if len(c.Market.Commitments(p)) > 0 {
			return nil, fmt.Errorf("bound: pool %s has commitments, which are paid whether used or not: what is held has no least cost", c.Market.Pool(p).Name)
		}
	}
	job := &c.Jobs[0]
	s, err := newSolver(c)
	if err != nil {
		return nil, err
	}
	first := c.Start.Add(job.Submit)
	last := min(first.Add(job.Objective.Within), c.Market.End())
	if c.Horizon > 0 {
		last = min(last, c.Start.Add(c.Horizon))
	}
	return &problem{c, s, first, last, cut(c, first, last, onSpot), job.Model.Goal(job.Objective.Loss)}, nil
}

// bound returns the least of the bounds by how training begins: set up for fewer
// instances it begins further on, but needs a boot to train on more than these.
func (p *problem) bound() Bound {
	least := Bound{USD: math.Inf(1), Seconds: math.Inf(1), Segments: len(p.segments)}
	for _, b := range p.solver.begins() {
		need := (p.goal - b.progress) * (1 - safety)
		if need <= 0 {
			return Bound{Segments: len(p.segments)}
		}
		x := p.within(need, b.most)
		least.Seconds = min(least.Seconds, x.Seconds)
		if x.USD < least.USD {
			least.USD, least.Lambda, least.Progress = x.USD, x.Lambda*(1+p.c.Billing.Tax), need
		}
	}
	return least
}

// within returns the bound for so much progress, with at most so many instances until the
// first boot after training began. It reckons with the shortest boot of so many grants
// that a run with more costs more than the bound.
func (p *problem) within(need float64, most int) Bound {
	boots := newBoots(p.c)
	for {
		x := newSchedule(p, boots, most).dual(need)
		x.USD = p.charged(x.USD, x.Seconds)
		if boots.drawn == mostGrants || x.Possible() && x.USD <= p.charged(boots.enough(p.segments), 0) {
			return x
		}
		boots.draw(8 * boots.drawn)
	}
}

// charged adds to what instances and servers cost what is charged besides.
func (p *problem) charged(usd, seconds float64) float64 {
	job := &p.c.Jobs[0]
	if !math.IsInf(seconds, 1) {
		usd += job.StorageGB * job.StoragePrice * seconds / secondsPerMonth
	}
	return usd * (1 + p.c.Billing.Tax)
}
