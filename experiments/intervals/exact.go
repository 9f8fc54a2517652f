package intervals

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// LowerShare returns the lower bound of a share of which hits of n independent runs are an observation: the true share
// is below it with probability alpha at most (Clopper and Pearson, Biometrika 26, 1934).
func LowerShare(hits, n int, alpha float64) float64 {
	if hits <= 0 {
		return 0
	}
	return distuv.Beta{Alpha: float64(hits), Beta: float64(n - hits + 1)}.Quantile(alpha)
}

// UpperShare is LowerShare for the upper bound: the true share is above it with probability alpha at most.
func UpperShare(hits, n int, alpha float64) float64 {
	if hits >= n {
		return 1
	}
	return distuv.Beta{Alpha: float64(hits + 1), Beta: float64(n - hits)}.Quantile(1 - alpha)
}

// IndependentHits returns how many independent units there are, and how many of them are hits: the share of all runs
// that hit, of that many units, rounded down. Where units are seeds these are the seeds and the hits themselves.
func (t *Tally) IndependentHits() (hits, n int) {
	n = t.Independent()
	if n == 0 {
		return 0, 0
	}
	const slack = 1e-9 // of a mean times a count that is a whole number in truth
	return int(math.Floor(t.Mean()*float64(n) + slack)), n
}

// ExactShare returns the interval of a share of hits that holds the true one in at least 95 of 100 cases, whatever it
// is and however few units there are (Clopper and Pearson); Share's holds it in 95 of 100 on average over shares.
// Without any units it is 0 to 1.
func (t *Tally) ExactShare() Interval {
	hits, units := t.IndependentHits()
	return Interval{Low: LowerShare(hits, units, 0.025), High: UpperShare(hits, units, 0.025), Units: units}
}
