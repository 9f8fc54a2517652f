package intervals

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// PValue returns the two-sided p-value of a mean that is 0 in truth, by Student's t-test, from the mean and its interval
// (Tally.MeanInterval). It is 1 of a mean of 0 without any spread, and 0 of another one.
func PValue(mean float64, ci Interval) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(ci.Units - 1)}
	sigma := (ci.High - ci.Low) / 2 / t.Quantile(0.975)
	switch {
	case mean == 0:
		return 1
	case sigma == 0:
		return 0
	}
	return 2 * t.CDF(-math.Abs(mean)/sigma)
}

// Holm returns p-values that are corrected for their number (S. Holm, Scandinavian Journal of Statistics 6, 1979): those below alpha are of
// differences of which not one is by chance, with a probability of at least 1 - alpha, whatever hangs on what. The order is kept.
func Holm(p []float64) []float64 {
	order, out, largest := make([]int, len(p)), make([]float64, len(p)), 0.0
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	for k, i := range order {
		largest = max(largest, min(float64(len(p)-k)*p[i], 1))
		out[i] = largest
	}
	return out
}
