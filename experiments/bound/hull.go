package bound

import (
	"math"
	"slices"
)

// precision is the share of a value by which a bound of it may be lower than it could be.
const precision = 1e-3

// lowest is a lower bound of what the clusters of a state cost beyond what their progress is worth, the least of cost -
// lambda rate, as a function of lambda. That least value is concave in lambda, so that between two lambdas at which the
// solver has shown a bound, the line between these is a bound, too. At 0 and below nothing is held.
type lowest struct {
	solver      solver
	state       *state
	lambda, usd []float64 // of the knots: ascending, descending
}

// newLowest works the bound out at 0 and at a lambda, beyond which the line of the fastest rate goes on. The fastest
// cluster of the state is known.
func newLowest(solver solver, s *state, last float64) *lowest {
	l := &lowest{solver: solver, state: s, lambda: []float64{0}, usd: []float64{0}}
	if s.maxRate > 0 && last > 0 {
		l.add(0, last)
	}
	return l
}

// refine makes the bound as good as precision says between two lambdas.
func (l *lowest) refine(low, high float64) {
	if len(l.lambda) < 2 {
		return
	}
	from := l.knotNear(low)
	to := l.knotNear(high)
	for {
		k := l.index(from)
		if l.lambda[k] >= to {
			return
		}
		next := l.lambda[k+1]
		l.split(k)
		from = next
	}
}

// index returns which knot is at a lambda, or the first after it.
func (l *lowest) index(lambda float64) int {
	k, _ := slices.BinarySearch(l.lambda, lambda)
	return k
}

// knotNear returns a knot at a lambda, or near it within the range; there is one then.
func (l *lowest) knotNear(lambda float64) float64 {
	lambda = min(max(lambda, 0), l.lambda[len(l.lambda)-1])
	k := l.index(lambda)
	if l.lambda[k]-lambda <= apart*lambda {
		return l.lambda[k]
	}
	if lambda-l.lambda[k-1] <= apart*lambda {
		return l.lambda[k-1]
	}
	l.add(k-1, lambda)
	return lambda
}

// add adds a knot after the k-th, with the solver's bound there. The cluster of that becomes known.
func (l *lowest) add(k int, lambda float64) {
	known := l.state.best(lambda)
	best, floor := l.solver.cheapest(l.state, lambda, known)
	if best.costAt(lambda) < known.costAt(lambda) {
		l.state.add(best)
	}
	l.lambda = slices.Insert(l.lambda, k+1, lambda)
	l.usd = slices.Insert(l.usd, k+1, min(floor, 0))
}

// apart is the share of a lambda by which knots are at least apart.
const apart = 1e-4

// split adds what has to lie between the k-th knot and the next.
func (l *lowest) split(k int) {
	from := l.lambda[k]
	to := l.lambda[k+1]
	first := l.state.best(from)
	last := l.state.best(to)
	if to-from <= apart*to || last.rate <= first.rate {
		return
	}
	equal := (last.cost - first.cost) / (last.rate - first.rate) // where both are as good
	lambda := min(max(equal, from+(to-from)/100), to-(to-from)/100)
	known := l.state.best(lambda)
	lower, _ := l.at(lambda)
	if known.costAt(lambda)-lower > precision*math.Abs(lower) {
		l.add(k, lambda)
		l.split(k + 1)
		l.split(k)
	}
}

// at returns the bound at a lambda, USD a second, and minus its slope, the progress a second.
func (l *lowest) at(lambda float64) (usd, rate float64) {
	if lambda <= 0 {
		return 0, 0
	}
	n := len(l.lambda) - 1
	if lambda >= l.lambda[n] {
		return l.usd[n] - (lambda-l.lambda[n])*l.state.maxRate, l.state.maxRate
	}
	next := l.index(lambda)
	k := next - 1
	rate = (l.usd[k] - l.usd[next]) / (l.lambda[next] - l.lambda[k])
	return l.usd[k] - rate*(lambda-l.lambda[k]), rate
}

// known returns what the best of the clusters that are known costs beyond its progress at a lambda, and its progress,
// as at does.
func (l *lowest) known(lambda float64) (usd, rate float64) {
	if lambda <= 0 {
		return 0, 0
	}
	best := l.state.best(lambda)
	return best.costAt(lambda), best.rate
}

// findHull makes the clusters of the lower convex hull of a state known, but for those that add less than a share to a
// value.
func findHull(solver solver, s *state, share float64) {
	fastest, _ := solver.fastest(s)
	if fastest.rate == 0 {
		return
	}
	s.add(fastest)
	tried := map[float64]bool{}
	for more := true; more; {
		more = false
		last := corner{}
		for _, cluster := range slices.Clone(s.known) {
			lambda := slope(last, cluster)
			last = cluster
			if tried[lambda] {
				continue
			}
			tried[lambda] = true
			more = true
			known := s.best(lambda)
			best, _ := solver.cheapest(s, lambda, known)
			if known.costAt(lambda)-best.costAt(lambda) > share*lambda*best.rate {
				s.add(best)
			}
		}
	}
}
