package fit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Regressor predicts a number from features.
type Regressor interface {
	// Predict returns the prediction for one row of features, as many as the
	// regressor was fitted on.
	Predict(x []float64) float64
}

// Linear is y = Intercept + sum of Slopes[i] x[i].
type Linear struct {
	Intercept float64
	Slopes    []float64
}

// FitLinear fits by ordinary least squares (QR decomposition). An error if the
// features are linearly dependent or there are fewer rows than parameters.
func FitLinear(x [][]float64, y []float64) (*Linear, error) {
	if len(x) == 0 || len(x) != len(y) {
		panic(fmt.Sprintf("fit: FitLinear: %d rows of features for %d values", len(x), len(y)))
	}
	n, k := len(x), len(x[0])+1
	if n < k {
		return nil, fmt.Errorf("%d rows for %d parameters", n, k)
	}
	a := mat.NewDense(n, k, nil)
	for i, row := range x {
		a.Set(i, 0, 1)
		for j, v := range row {
			a.Set(i, j+1, v)
		}
	}
	var b mat.VecDense
	if err := b.SolveVec(a, mat.NewVecDense(n, y)); err != nil {
		return nil, fmt.Errorf("least squares of %d rows: %w", n, err)
	}
	beta := b.RawVector().Data
	return &Linear{beta[0], beta[1:]}, nil
}

// Predict implements Regressor.
func (l *Linear) Predict(x []float64) float64 {
	y := l.Intercept
	for i, v := range x {
		y += l.Slopes[i] * v
	}
	return y
}

// Quadratic is y = a + b x + c x^2 of one feature.
type Quadratic struct{ Linear }

// FitQuadratic fits by ordinary least squares to rows of one feature.
func FitQuadratic(x [][]float64, y []float64) (*Quadratic, error) {
	powers := make([][]float64, len(x))
	for i, row := range x {
		powers[i] = []float64{row[0], row[0] * row[0]}
	}
	l, err := FitLinear(powers, y)
	if err != nil {
		return nil, err
	}
	return &Quadratic{*l}, nil
}

// Predict implements Regressor.
func (q *Quadratic) Predict(x []float64) float64 {
	return q.Linear.Predict([]float64{x[0], x[0] * x[0]})
}
