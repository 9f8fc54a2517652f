package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

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

// bound returns the least of the bounds by how training begins: set up for fewer
// instances it begins further on, but needs a boot to train on more than these.
func (p *problem) bound() Bound {
	smallest := Bound{USD: math.Inf(1), Seconds: math.Inf(1), Segments: len(p.segments)}
	for _, b := range p.solver.begins() {
		need := (p.goal - b.progress) * (1 - safety)
		if need <= 0 {
			return Bound{Segments: len(p.segments)}
		}
		x := p.within(need/p.c.Pace(), b.max)
		smallest.Seconds = min(smallest.Seconds, x.Seconds)
		if x.USD < smallest.USD {
			smallest.USD, smallest.Lambda, smallest.Progress = x.USD, x.Lambda*(1+p.c.Billing.Tax)/p.c.Pace(), need
		}
	}
	return smallest
}

// within returns the bound for so much progress at the model's speed, with at most n instances until the
// first boot after training began. It reckons with the shortest boot of n grants
// that a run with more costs more than the bound.
func (p *problem) within(need float64, largest int) Bound {
	boots := newBoots(p.c)
	for {
		x := newSchedule(p, boots, largest, nil).dual(need)
		x.USD = p.charged(x.USD, x.Seconds)
		if boots.drawn == maxGrants || x.Possible() && x.USD <= p.charged(boots.enough(p.segments), 0) {
			return x
		}
		boots.draw(8 * boots.drawn)
	}
}
