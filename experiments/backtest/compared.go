package backtest

import (
	"math"
	"slices"
)

// compared sorts the simulated values.
func compared(observed float64, values []float64) Compared {
	slices.Sort(values)
	c := Compared{Observed: observed, Median: quantile(values, 0.5), Low50: quantile(values, 0.25), High50: quantile(values, 0.75),
		Low90: quantile(values, 0.05), High90: quantile(values, 0.95), Rank: math.NaN()}
	if !math.IsNaN(observed) {
		below, _ := slices.BinarySearch(values, observed)
		above, _ := slices.BinarySearch(values, math.Nextafter(observed, math.Inf(1)))
		c.Rank = (float64(below) + float64(above)) / 2 / float64(len(values))
	}
	return c
}

// quantile returns a quantile of sorted values, between two of them in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*(at-float64(i))
}
