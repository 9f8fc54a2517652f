package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// LeastSquares returns the best minimum that is found from the starts.
func LeastSquares(starts [][]float64, squares func(x []float64) float64) (*optimize.Result, error) {
	var best *optimize.Result
	var failed error
	for _, start := range starts {
		r, err := optimize.Minimize(optimize.Problem{Func: squares}, start, nil, &optimize.NelderMead{})
		switch {
		case err != nil:
			failed = err
		case best == nil || r.F < best.F:
			best = r
		}
	}
	if best == nil || math.IsInf(best.F, 1) {
		return nil, fmt.Errorf("no parameters fit the points: %v", failed)
	}
	return best, nil
}
