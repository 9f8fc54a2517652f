package bound

import (
	"math"
	"slices"
)

// precision is the share of a value by which a bound of it may be lower than it could be.
const precision = 1e-3

// lowest is a lower bound of what the clusters of a state cost beyond what their progress is worth, the least of cost - lambda rate, as a function of
// lambda. That least value is concave in lambda, so that between two lambdas at which the solver has shown a bound, the line between these is a
// bound, too. At 0 and below nothing is held.
type lowest struct {
	lambda, usd []float64 // ascending, descending
	top         float64   // no cluster makes more progress a second
}

// lowestOf works the bound out up to a lambda; beyond it the line of the fastest rate goes on.
func lowestOf(x solver, s *state, largest float64) *lowest {
	out := &lowest{lambda: []float64{0}, usd: []float64{0}}
	fastest, top := x.fastest(s)
	if out.top = top; fastest.rate == 0 || largest <= 0 {
		return out
	}
	s.add(fastest)
	out.split(x, s, 0, 0, largest, shown(x, s, largest))
	return out
}

// shown is the solver's bound at a lambda, whose cluster becomes known.
func shown(x solver, s *state, lambda float64) float64 {
	known := s.best(lambda)
	c, floor := x.min(s, lambda, known)
	if c.value(lambda) < known.value(lambda) {
		s.add(c)
	}
	return min(floor, 0)
}

// split adds the second of two lambdas, and what has to lie between them.
func (l *lowest) split(x solver, s *state, a, atA, b, atB float64) {
	first, last := s.best(a), s.best(b)
	if b-a > 1e-4*b && last.rate > first.rate {
		m := min(max((last.cost-first.cost)/(last.rate-first.rate), a+(b-a)/100), b-(b-a)/100) // both are as good
		known := s.best(m)
		if line := atA + (atB-atA)*(m-a)/(b-a); known.value(m)-line > precision*math.Abs(line) {
			at := shown(x, s, m)
			l.split(x, s, a, atA, m, at)
			l.split(x, s, m, at, b, atB)
			return
		}
	}
	l.lambda, l.usd = append(l.lambda, b), append(l.usd, atB)
}

// at returns the bound at a lambda, USD a second, and minus its slope, the progress a second.
func (l *lowest) at(lambda float64) (usd, rate float64) {
	n := len(l.lambda) - 1
	switch {
	case lambda <= 0:
		return 0, 0
	case lambda >= l.lambda[n]:
		return l.usd[n] - (lambda-l.lambda[n])*l.top, l.top
	}
	j, _ := slices.BinarySearch(l.lambda, lambda)
	i := j - 1
	rate = (l.usd[i] - l.usd[j]) / (l.lambda[j] - l.lambda[i])
	return l.usd[i] - rate*(lambda-l.lambda[i]), rate
}

// hull makes the clusters of the lower convex hull of a state known, but for those that add less than a share to a value.
func hull(x solver, s *state, share float64) {
	fastest, _ := x.fastest(s)
	if fastest.rate == 0 {
		return
	}
	s.add(fastest)
	for tried := map[float64]bool{}; ; {
		last, more := corner{}, false
		for _, c := range slices.Clone(s.known) {
			lambda := slope(last, c)
			if last = c; tried[lambda] {
				continue
			}
			tried[lambda], more = true, true
			known := s.best(lambda)
			if c, _ := x.min(s, lambda, known); known.value(lambda)-c.value(lambda) > share*lambda*c.rate {
				s.add(c)
			}
		}
		if !more {
			return
		}
	}
}
