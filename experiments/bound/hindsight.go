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

// Possible reports whether Hindsight does not rule out that a policy meets the objective. It looks no further than when
// the job is done on all that can be held, and at no costs, so that it takes a small part of the time of Hindsight.
func Possible(c sim.Config) (bool, error) {
	p, err := newProblem(&c, false)
	if err != nil {
		return false, err
	}
	for _, begin := range p.solver.begins() {
		need := (p.goal - begin.progress) * (1 - safety)
		if need <= 0 || p.possibleFrom(need/p.c.Pace(), begin.maxInstances) {
			return true, nil
		}
	}
	return false, nil
}

// possibleFrom reports whether boundFrom returns a bound that is possible. More draws only make boots shorter.
func (p *problem) possibleFrom(need float64, maxInstances int) bool {
	boots := newBoots(p.c)
	for !newSchedule(p, boots, maxInstances, nil).canMake(need) {
		if boots.drawn == maxGrants {
			return false
		}
		boots.draw(8 * boots.drawn)
	}
	return true
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
