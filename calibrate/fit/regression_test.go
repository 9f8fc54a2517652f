package fit

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// A support-vector regression with a price that no point is worth keeps every
// point within epsilon of the line that they lie on.
func TestSVR(t *testing.T) {
	check := near.Count(t)
	var x [][]float64
	var y []float64
	for i := range 30 {
		v := float64(i) / 29
		x, y = append(x, []float64{v}), append(y, 2*v*v-v+.5)
	}
	m, err := FitSVR(x, y, SVRSettings{Kernel: Polynomial(2, 1, 1), C: 1e4, Epsilon: .01})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if e := math.Abs(m.Predict(x[i]) - y[i]); check.Above(e, .01+svrTolerance) {
			t.Errorf("at %v: off by %v", x[i][0], e)
		}
	}
}

func TestLinear(t *testing.T) {
	check := near.Count(t)
	x := [][]float64{{0, 1}, {1, 0}, {2, 2}, {3, 5}}
	y := []float64{8, 0, 12, 27}
	for i := range y {
		y[i] = 1.5 + 2*x[i][0] - 3*x[i][1]
	}
	l, err := FitLinear(x, y)
	if err != nil || check.Above(math.Abs(l.Intercept-1.5)+math.Abs(l.Slopes[0]-2)+math.Abs(l.Slopes[1]+3), 1e-12) {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := FitLinear([][]float64{{1, 1}, {2, 2}, {3, 3}}, y[:3]); err == nil {
		t.Error("dependent features are fitted")
	}
	if _, err := FitLinear(x[:2], y[:2]); err == nil {
		t.Error("two rows for three parameters are fitted")
	}
	q, err := FitQuadratic([][]float64{{0}, {1}, {2}, {3}}, []float64{1, 2, 7, 16})
	if err != nil || check.Off(q.Predict([]float64{4}), 29, 1e-10) {
		t.Errorf("%+v, %v", q, err)
	}
}
