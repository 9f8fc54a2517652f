package cmdare

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestLeastSquares(t *testing.T) {
	check := near.Count(t)
	x := [][]float64{{0, 1}, {1, 0}, {2, 2}, {3, 5}}
	y := []float64{8, 0, 12, 27}
	for i := range y {
		y[i] = 1.5 + 2*x[i][0] - 3*x[i][1]
	}
	l, err := fitLinear(x, y)
	if err != nil || check.Above(math.Abs(l.Intercept-1.5)+math.Abs(l.Slopes[0]-2)+math.Abs(l.Slopes[1]+3), 1e-12) {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := fitLinear([][]float64{{1, 1}, {2, 2}, {3, 3}}, y[:3]); err == nil {
		t.Error("dependent features are fitted")
	}
	if _, err := fitLinear(x[:2], y[:2]); err == nil {
		t.Error("two rows for three parameters are fitted")
	}
	q, err := fitQuadratic([][]float64{{0}, {1}, {2}, {3}}, []float64{1, 2, 7, 16})
	if err != nil || check.Off(q.Predict([]float64{4}), 29, 1e-10) {
		t.Errorf("%+v, %v", q, err)
	}
}
