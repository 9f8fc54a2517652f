package advise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// central is how much of an outcome lies in the middle 90 and 50 % of continuations.
func central(sorted []float64, x float64) (part [2]float64) {
	f := &forecast{sorted: sorted, most: math.Inf(1)}
	at := f.tied(x)
	return [2]float64{at.within(0.9), at.within(0.5)}
}

// An outcome is in the middle of its continuations by its rank; what ends alike is spread over the ranks that it takes.
func TestCentral(t *testing.T) {
	check := near.Count(t)
	inf := math.Inf(1)
	for what, x := range map[string]struct {
		sorted []float64
		x      float64
		want   [2]float64
	}{
		"all alike":       {[]float64{5, 5, 5}, 5, [2]float64{0.9, 0.5}},
		"none ends":       {[]float64{inf, inf, inf}, inf, [2]float64{0.9, 0.5}},
		"the median":      {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 5.5, [2]float64{1, 1}}, // ranks 0.5 to 0.6
		"below all":       {[]float64{1, 2, 3}, 0, [2]float64{0.8, 0}},                   // 0 to 0.25, of which 0.05 are outside of 90 %
		"above all":       {[]float64{1, 2, 3}, inf, [2]float64{0.8, 0}},
		"half end alike":  {[]float64{1, 1, 2, 3, 4, 5, 6}, 1, [2]float64{0.325 / 0.375, 0.125 / 0.375}}, // 0 to 3/8
		"alike, nearly":   {[]float64{1, 2, 2 + 1e-12, 3}, 2, [2]float64{1, (0.75 - 0.25) / 0.6}},        // 0.2 to 0.8
		"in a narrow gap": {[]float64{1, 2, 4, 5}, 3, [2]float64{1, 1}},                                  // 0.4 to 0.6
	} {
		if got := central(x.sorted, x.x); check.Off(got[0], x.want[0], 1e-12) || check.Off(got[1], x.want[1], 1e-12) {
			t.Errorf("%s: %v, expected %v", what, got, x.want)
		}
	}
	// Drawn alike, the mean is 0.9 and 0.5, however many values there are.
	draw := rand.New(rand.NewPCG(3, 4))
	for _, values := range []int{1, 2, 3, 10, 1 << 30} {
		var sum [2]float64
		const times = 20000
		for range times {
			x := make([]float64, 20)
			for i := range x {
				x[i] = float64(1 + draw.IntN(values))
			}
			last := x[19]
			part := central(slices.Sorted(slices.Values(x[:19])), last)
			sum[0], sum[1] = sum[0]+part[0]/times, sum[1]+part[1]/times
		}
		if check.Off(sum[0], 0.9, 0.01) || check.Off(sum[1], 0.5, 0.015) {
			t.Errorf("of %d values: %v", values, sum)
		}
	}
}
