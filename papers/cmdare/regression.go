package cmdare

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// regressor predicts a number from features.
type regressor interface {
	// Predict returns the prediction for one row of features, as many as the
	// regressor was fitted on.
	Predict(x []float64) float64
}

// linear is y = Intercept + sum of Slopes[i] x[i].
type linear struct {
	Intercept float64
	Slopes    []float64
}

// fitLinear fits by ordinary least squares (QR decomposition). An error if the
// features are linearly dependent or there are fewer rows than parameters.
func fitLinear(x [][]float64, y []float64) (*linear, error) {
	if len(x) == 0 || len(x) != len(y) {
		panic(fmt.Sprintf("cmdare: fitLinear: %d rows of features for %d values", len(x), len(y)))
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
	return &linear{beta[0], beta[1:]}, nil
}

// Predict implements regressor.
func (l *linear) Predict(x []float64) float64 {
	y := l.Intercept
	for i, v := range x {
		y += l.Slopes[i] * v
	}
	return y
}

// quadratic is y = a + b x + c x^2 of one feature.
type quadratic struct{ linear }

// fitQuadratic fits by ordinary least squares to rows of one feature.
func fitQuadratic(x [][]float64, y []float64) (*quadratic, error) {
	powers := make([][]float64, len(x))
	for i, row := range x {
		powers[i] = []float64{row[0], row[0] * row[0]}
	}
	l, err := fitLinear(powers, y)
	if err != nil {
		return nil, err
	}
	return &quadratic{*l}, nil
}

// Predict implements regressor.
func (q *quadratic) Predict(x []float64) float64 {
	return q.linear.Predict([]float64{x[0], x[0] * x[0]})
}
