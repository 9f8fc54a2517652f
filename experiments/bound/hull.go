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
	solver      solver
	state       *state
	lambda, usd []float64 // ascending, descending
	top         float64   // no cluster makes more progress a second
}

// lowestOf works the bound out at 0 and at a lambda, beyond which the line of the fastest rate goes on. The fastest cluster of the state is known.
func lowestOf(x solver, s *state, largest float64) *lowest {
	out := &lowest{solver: x, state: s, lambda: []float64{0}, usd: []float64{0}, top: s.top}
	if s.top > 0 && largest > 0 {
		out.add(0, largest)
	}
	return out
}

// refine makes the bound as good as precision says between two lambdas.
func (l *lowest) refine(low, high float64) {
	if n := len(l.lambda); n > 1 {
		from, to := l.knot(low), l.knot(high)
		for k := l.index(from); l.lambda[k] < to; k = l.index(from) {
			next := l.lambda[k+1]
			l.split(k)
			from = next
		}
	}
}

// index returns which knot is at a lambda, or the first after it.
func (l *lowest) index(lambda float64) int {
	i, _ := slices.BinarySearch(l.lambda, lambda)
	return i
}

// knot adds a knot at a lambda, or near it within the range.
func (l *lowest) knot(lambda float64) float64 {
	lambda = min(max(lambda, 0), l.lambda[len(l.lambda)-1])
	i := l.index(lambda)
	switch {
	case l.lambda[i]-lambda <= apart*lambda:
		return l.lambda[i]
	case lambda-l.lambda[i-1] <= apart*lambda:
		return l.lambda[i-1]
	}
	l.add(i-1, lambda)
	return lambda
}

// add adds a knot after the k-th.
func (l *lowest) add(k int, lambda float64) {
	l.lambda, l.usd = slices.Insert(l.lambda, k+1, lambda), slices.Insert(l.usd, k+1, shown(l.solver, l.state, lambda))
}

// apart is the share of a lambda by which knots are at least apart.
const apart = 1e-4

// shown is the solver's bound at a lambda, whose cluster becomes known.
func shown(x solver, s *state, lambda float64) float64 {
	known := s.best(lambda)
	c, floor := x.min(s, lambda, known)
	if c.value(lambda) < known.value(lambda) {
		s.add(c)
	}
	return min(floor, 0)
}

// split adds what has to lie between the k-th knot and the next.
func (l *lowest) split(k int) {
	a, b := l.lambda[k], l.lambda[k+1]
	first, last := l.state.best(a), l.state.best(b)
	if b-a <= apart*b || last.rate <= first.rate {
		return
	}
	m := min(max((last.cost-first.cost)/(last.rate-first.rate), a+(b-a)/100), b-(b-a)/100) // both are as good
	known := l.state.best(m)
	if line, _ := l.at(m); known.value(m)-line > precision*math.Abs(line) {
		l.add(k, m)
		l.split(k + 1)
		l.split(k)
	}
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

// known returns what the best of the clusters that are known costs beyond its progress at a lambda, and its progress, as at does.
func (l *lowest) known(lambda float64) (usd, rate float64) {
	if lambda <= 0 {
		return 0, 0
	}
	c := l.state.best(lambda)
	return c.value(lambda), c.rate
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
