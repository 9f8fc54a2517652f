package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// Hindsight returns the bound of one job on one market; Config.Policy is not asked. It is an error where the bound
// would not hold, or is not known: free first hours, several jobs, instances that outlive the capacity, and models
// that are neither of alike instances nor Separable.
func Hindsight(c sim.Config) (Bound, error) { return hindsight(&c, false) }

// OnSpot is Hindsight for policies that hold nothing on demand.
func OnSpot(c sim.Config) (Bound, error) { return hindsight(&c, true) }

// Fastest returns the least seconds in which a policy can do the job within the time of its objective, +Inf if none
// can: then Hindsight is not possible either. It looks at no costs and no further than when the job is done, and counts
// the shortest boots of all grants. So it is at most the seconds of Hindsight, in a small part of its time.
func Fastest(c sim.Config) (seconds float64, err error) {
	p, err := newProblem(&c, false)
	if err != nil {
		return 0, err
	}
	boots := newBoots(p.c)
	boots.draw(maxGrants)
	seconds = math.Inf(1)
	for _, begin := range p.solver.begins() {
		need := (p.goal - begin.progress) * (1 - safety)
		if need <= 0 {
			return 0, nil
		}
		found := newSchedule(p, boots, begin.maxInstances, nil)
		seconds = min(seconds, found.soonest(need/p.c.Pace(), found.rateAtAnyPrice()))
	}
	return seconds, nil
}

func hindsight(c *sim.Config, onSpot bool) (Bound, error) {
	p, err := newProblem(c, onSpot)
	if err != nil {
		return Bound{}, err
	}
	return p.bound(), nil
}

// bound returns the least of the bounds by how training begins: set up for fewer instances it begins further on, but
// needs a boot to train on more than these.
func (p *problem) bound() Bound {
	least := Bound{USD: math.Inf(1), Seconds: math.Inf(1), Segments: len(p.segments)}
	for _, begin := range p.solver.begins() {
		need := (p.goal - begin.progress) * (1 - safety)
		if need <= 0 {
			return Bound{Segments: len(p.segments)}
		}
		found := p.boundFrom(need/p.c.Pace(), begin.maxInstances)
		least.Seconds = min(least.Seconds, found.Seconds)
		if found.USD < least.USD {
			least.USD = found.USD
			least.Lambda = found.Lambda * (1 + p.c.Billing.Tax) / p.c.Pace()
			least.Progress = need
		}
	}
	return least
}

// boundFrom returns the bound for so much progress at the model's speed, with at most so many instances until the first
// boot after training began. It takes the shortest boots of so many grants that a run with more costs more than the
// bound.
func (p *problem) boundFrom(need float64, maxInstances int) Bound {
	boots := newBoots(p.c)
	for {
		found := newSchedule(p, boots, maxInstances, nil).dual(need)
		found.USD = p.charged(found.USD, found.Seconds)
		if boots.drawn == maxGrants || found.Possible() && found.USD <= p.charged(boots.costOfMore(p.segments), 0) {
			return found
		}
		boots.draw(8 * boots.drawn)
	}
}
