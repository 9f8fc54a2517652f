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
// The knapsack of the clusters that are known gives the next lambda, and an upper bound of that largest value; the best
// clusters at that lambda are then known as well, and the two meet.
func (x *schedule) dual(need float64) Bound {
	out := Bound{USD: math.Inf(1), Seconds: x.fastest(need)}
	if math.IsInf(out.Seconds, 1) {
		return out
	}
	out.USD = 0
	for range maxRounds {
		lambda, upper := x.knapsack(need)
		lower, improved := x.dualAt(lambda, need)
		if lower > out.USD {
			out.USD = lower
			out.Lambda = lambda
		}
		if !improved || out.USD >= upper*(1-enough) {
			break
		}
	}
	return out
}

// dualAt returns the bound that one lambda gives, and whether it made better clusters known.
func (x *schedule) dualAt(lambda, need float64) (usd float64, improved bool) {
	usd = lambda * need
	for _, s := range x.states {
		known := s.best(lambda)
		best, lower := x.solver.cheapest(s, lambda, known)
		usd += s.seconds * lower
		cost := best.costAt(lambda)
		if cost < known.costAt(lambda)-safety*math.Abs(cost) {
			s.add(best)
			improved = true
		}
	}
	return usd, improved
}

// maxRounds bounds the search for lambda, which ends after ten or so; enough is what it may leave of the bound.
const (
	maxRounds = 100
	enough    = 1e-4
)

// fastest returns the seconds that so much progress takes on the fastest clusters, which become known; +Inf if it is
// not done in the end.
func (x *schedule) fastest(need float64) float64 {
	for _, s := range x.states {
		cluster, maxRate := x.solver.fastest(s)
		s.maxRate = maxRate
		if cluster.rate > 0 {
			s.add(cluster)
		}
	}
	return x.soonest(need, func(s *state) float64 { return s.maxRate })
}

// soonest returns the seconds that so much progress takes at the rates of states; +Inf if it is not done in the end.
func (x *schedule) soonest(need float64, rateOf func(*state) float64) float64 {
	for _, stage := range x.stages {
		seconds := stage.to.Sub(stage.from).Seconds()
		rate := rateOf(stage.state)
		if rate*seconds >= need {
			return stage.from.Sub(x.stages[0].from).Seconds() + need/rate
		}
		need -= rate * seconds
	}
	return math.Inf(1)
}

// rateAtAnyPrice returns the largest rate of a state. It asks once for states that differ in prices alone.
func (x *schedule) rateAtAnyPrice() func(*state) float64 {
	rates := map[string]float64{}
	return func(s *state) float64 {
		counts := s.counts()
		rate, known := rates[counts]
		if !known {
			_, rate = x.solver.fastest(s)
			rates[counts] = rate
		}
		return rate
	}
}

// edge is a way to make more progress in one state: from one cluster of its hull to the next.
type edge struct {
	slope    float64 // USD per unit of progress
	progress float64 // at most
}

// knapsack makes the progress that is needed at the least cost, of the clusters that are known: what the last of it
// costs, and all of it.
func (x *schedule) knapsack(need float64) (lambda, usd float64) {
	var edges []edge
	for _, s := range x.states {
		last := corner{}
		for _, cluster := range s.known {
			edges = append(edges, edge{slope(last, cluster), (cluster.rate - last.rate) * s.seconds})
			last = cluster
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.slope, b.slope) })
	for _, e := range edges {
		part := min(e.progress, need)
		usd += part * e.slope
		lambda = e.slope
		need -= part
		if need <= 0 {
			break
		}
	}
	return lambda, usd
}
