package backtest

import (
	"math"
	"slices"

	"github.com/marigram/marigram/internal/stats"
)

// compared sorts the simulated values.
func compared(observed float64, values []float64) Compared {
	slices.Sort(values)
	c := Compared{Observed: observed, Median: stats.Interpolated(values, 0.5), Low50: stats.Interpolated(values, 0.25), High50: stats.Interpolated(values, 0.75),
		Low90: stats.Interpolated(values, 0.05), High90: stats.Interpolated(values, 0.95), Rank: math.NaN()}
	if !math.IsNaN(observed) {
		below, _ := slices.BinarySearch(values, observed)
		above, _ := slices.BinarySearch(values, math.Nextafter(observed, math.Inf(1)))
		c.Rank = (float64(below) + float64(above)) / 2 / float64(len(values))
	}
	return c
}
