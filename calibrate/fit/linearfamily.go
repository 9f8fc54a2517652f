package fit

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// LinearFamily makes the Fit and Predict of a family whose prediction is a sum of
// terms, each a parameter times a number of the row. The fit is by least
// squares of the residuals, or, if the family is Relative, of residual/measured;
// the family's target and terms are set before.
func LinearFamily(f Family, terms func(m *Measurement) []float64) Family {
	target, ok := column(f.Target)
	if !ok {
		panic("fit: family " + f.Name + ": no column " + f.Target)
	}
	f.Fit = func(rows []Measurement) ([]float64, error) {
		inputs := mat.NewDense(len(rows), len(f.Parameters), nil)
		measured := mat.NewVecDense(len(rows), nil)
		for i := range rows {
			value := rows[i].number(target)
			row := terms(&rows[i])
			if f.Relative {
				floats.Scale(1/value, row)
				value = 1
			}
			inputs.SetRow(i, row)
			measured.SetVec(i, value)
		}
		var fitted mat.VecDense
		if err := fitted.SolveVec(inputs, measured); err != nil {
			return nil, errors.New("the rows do not determine the parameters: their inputs vary too little")
		}
		return fitted.RawVector().Data, nil
	}
	f.Predict = func(parameters []float64, m *Measurement) float64 {
		sum := 0.0
		for i, t := range terms(m) {
			sum += float64(parameters[i] * t)
		}
		return sum
	}
	return f
}

// LeastSquares returns the best minimum that is found from the starts.
func LeastSquares(starts [][]float64, squares func(x []float64) float64) (*optimize.Result, error) {
	var best *optimize.Result
	var failed error
	for _, start := range starts {
		found, err := optimize.Minimize(optimize.Problem{Func: squares}, start, nil, &optimize.NelderMead{})
		switch {
		case err != nil:
			failed = err
		case best == nil || found.F < best.F:
			best = found
		}
	}
	if best == nil || math.IsInf(best.F, 1) {
		return nil, fmt.Errorf("no parameters fit the points: %v", failed)
	}
	return best, nil
}
