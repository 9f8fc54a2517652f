// Package stats has the means, medians and quantiles of the module, one definition under each name, so that the same
// numbers give the same bits everywhere. What gonum.org/v1/gonum/stat computes in the same order and by the same
// definition is taken from there by its users.
package stats

import (
	"math"
	"slices"
)

// Mean sums from the first to the last and divides by their number: NaN of none. (gonum's stat.Mean sums in lanes:
// other last bits.)
func Mean(x []float64) float64 {
	sum := 0.0
	for _, value := range x {
		sum += value
	}
	return sum / float64(len(x))
}

// Median is the middle of the numbers in their order, or the mean of the two in the middle: NaN of none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// NearestRank is the smallest of ascending numbers that at least this share of them does not exceed, which gonum
// calls Empirical: the k-th of n, where k is share n, rounded up, and at least 1. NaN of none.
func NearestRank(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

// OuterRank is the k-th of n ascending numbers, where k is share (n + 1), rounded away from the median: so a band of
// two of them is never narrower than the share of it says. NaN of none.
func OuterRank(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	rank := share * float64(len(sorted)+1)
	if share < 0.5 {
		rank = math.Floor(rank)
	} else {
		rank = math.Ceil(rank)
	}
	return sorted[min(max(int(rank), 1), len(sorted))-1]
}

// Interpolated is the quantile of at least one ascending number on the line through them, the first at 0 and the last
// at 1 (the default of numpy and R, their type 7).
func Interpolated(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	i := int(at)
	if at == float64(i) || sorted[i] == sorted[i+1] { // nothing between them, as numbers may be infinite
		return sorted[i]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*(at-float64(i))
}

// Finite reports whether x is a number, and not an infinite one.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Or is what p points at, otherwise where there is nothing.
func Or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// FiniteOrNil is a finite number, nil if it is not finite: what JSON and tables can have.
func FiniteOrNil(x float64) *float64 {
	if !Finite(x) {
		return nil
	}
	return &x
}
