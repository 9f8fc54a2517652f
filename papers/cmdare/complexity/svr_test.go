package complexity

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
