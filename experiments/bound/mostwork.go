package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// halvings bounds the search for the most work: a share of 2^-14 is left.
const halvings = 14

// MostWork returns the share of the training of one job that no policy exceeds for a budget in USD, from 0 to 1, by the
// end of the objective's time: the largest of which Hindsight's least cost is within the budget. Errors are those of
// Hindsight.
func MostWork(c sim.Config, usd float64) (share float64, err error) {
	p, err := newProblem(&c, false)
	if err != nil {
		return 0, err
	}
	usd *= 1 + tolerated
	if b := p.bound(); b.USD <= usd {
		return 1, nil
	}
	first := math.Inf(1)
	for _, begin := range p.solver.begins() {
		first = min(first, begin.progress)
	}
	goal := p.goal
	low := first
	high := goal
	for range halvings {
		p.goal = (low + high) / 2
		if b := p.bound(); b.USD <= usd {
			low = p.goal
		} else {
			high = p.goal
		}
	}
	return (high - first) / (goal - first), nil
}
