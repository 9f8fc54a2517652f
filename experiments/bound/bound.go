// Package bound has lower bounds of what a job costs on a market that is known in advance: no policy that meets the
// objective is cheaper, and none finishes sooner than it says. That follows from the argument below. Tests look for
// counterexamples: every policy, and schedules that a search improves step by step, on random markets with capacity
// at once and late, notices, machines that take turns, queues, quotas over pools, boots of any length, all forms of
// begin and of billing, and models of each kind that has a bound. A run below its bound (Bound.Contradicts) is a
// defect of the program.
//
// A run that is done at a time before the deadline D has at least the progress R, and
// costs at least what it holds while it trains. So for every lambda >= 0, in USD per
// unit of progress, its cost is at least
//
//	lambda R + integral over [0, D] of min over clusters of (cost - lambda rate) dt
//
// (weak duality). Clusters may change at any instant, so that only the lower convex hull
// of (rate, cost) of each stretch of the market matters, and the largest of these bounds
// is nearly what a schedule without boots would cost. It is found by turns: the knapsack of
// the clusters that are known gives a lambda, and each stretch its best cluster at that
// lambda. Stalls, saves, losses and minimum charges only cost more. What an instance pays
// while it boots is counted (type stretch): it is of no use until then.
//
// WithoutForesight is the same for policies that do not know the future, on markets whose law is known: what a run
// saves by knowing is charged to it.
//
// It holds for any number of parameter servers at any time. Traces that limit launches
// only, or leave lifetimes to chance, have no bound: there an instance may outlive the
// capacity, which a Market does not say. A run is taken to be granted at most 65,536
// instances of a pool.
package bound

import "math"

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

// Contradicts reports whether a run that met the objective for n dollars, m seconds
// after the submission, is below the bound: then one of the two is wrong. A millionth of the
// bound is left to rounding: the simulator's clock has whole microseconds, so that a run of a
// second or more ends and is billed within a millionth of itself; sums of floating-point numbers
// are off by far less. Numbers that are none contradict it.
func (b *Bound) Contradicts(usd, seconds float64) bool {
	return !(usd >= b.USD*(1-tolerated) && seconds >= b.Seconds*(1-tolerated))
}

const tolerated = 1e-6
