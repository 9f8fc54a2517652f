package bound

import (
	"cmp"
	"math"
	"slices"
)

// dual returns the bound for so much progress: the largest over lambda of
//
//	lambda need + sum over states of seconds (least cost - lambda rate)
//
// The knapsack of the clusters that are known gives the next lambda, and an upper bound
// of that largest value; the best clusters at that lambda are then known as well, and the
// two meet.
func (x *schedule) dual(need float64) Bound {
	out := Bound{USD: math.Inf(1), Seconds: x.fastest(need)}
	if math.IsInf(out.Seconds, 1) {
		return out
	}
	out.USD = 0
	for range maxRounds {
		lambda, largest := x.knapsack(need)
		value, more := lambda*need, false
		for _, s := range x.states {
			known := s.best(lambda)
			c, smallest := x.solver.min(s, lambda, known)
			value += s.seconds * smallest
			if v := c.value(lambda); v < known.value(lambda)-safety*math.Abs(v) {
				s.add(c)
				more = true
			}
		}
		if value > out.USD {
			out.USD, out.Lambda = value, lambda
		}
		if !more || out.USD >= largest*(1-enough) {
			break
		}
	}
	return out
}

// maxRounds bounds the search for lambda, which ends after ten or so; enough is what it
// may leave of the bound.
const (
	maxRounds = 100
	enough    = 1e-4
)

// fastest returns the seconds that so much progress takes on the fastest clusters, which
// become known; +Inf if it is not done in the end.
func (x *schedule) fastest(need float64) float64 {
	for _, s := range x.states {
		c := corner{}
		if c, s.top = x.solver.fastest(s); c.rate > 0 {
			s.add(c)
		}
	}
	for _, s := range x.stages {
		seconds := s.to.Sub(s.from).Seconds()
		if s.state.top*seconds >= need {
			return s.from.Sub(x.stages[0].from).Seconds() + need/s.state.top
		}
		need -= s.state.top * seconds
	}
	return math.Inf(1)
}

// edge is a way to make more progress in one state: from one cluster of its hull to the
// next.
type edge struct {
	slope float64 // USD per unit of progress
	max   float64 // progress
}

// knapsack makes the progress that is needed at the least cost, of the clusters that are
// known: what the last of it costs, and all of it.
func (x *schedule) knapsack(need float64) (lambda, usd float64) {
	var edges []edge
	for _, s := range x.states {
		last := corner{}
		for _, c := range s.known {
			edges = append(edges, edge{slope(last, c), (c.rate - last.rate) * s.seconds})
			last = c
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.slope, b.slope) })
	for _, e := range edges {
		part := min(e.max, need)
		usd += part * e.slope
		lambda = e.slope
		if need -= part; need <= 0 {
			break
		}
	}
	return lambda, usd
}
