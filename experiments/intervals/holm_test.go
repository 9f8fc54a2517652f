package intervals_test

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/near"
)

// The p-value follows Student's table of 9 degrees of freedom where numbers lie evenly about their mean, t standard
// errors from 0.
func TestPValue(t *testing.T) {
	check := near.Count(t)
	for _, x := range []struct{ t, p float64 }{{2.262, 0.05}, {3.250, 0.01}, {1.833, 0.1}, {-2.262, 0.05}} {
		var tally intervals.Tally
		for i := range 10 {
			tally.Add(intervals.Unit{Seed: int64(i)}, x.t+3*float64(1-i%2*2)) // a standard error of 1
		}
		if got := tally.PValue(); check.Off(got, x.p, 1e-4) {
			t.Errorf("t = %v: p = %v, expected %v", x.t, got, x.p)
		}
	}
	for x, want := range map[float64]float64{0: 1, 2: 0} {
		var same intervals.Tally
		for i := range 5 {
			same.Add(intervals.Unit{Seed: int64(i)}, x)
		}
		if got := same.PValue(); got != want {
			t.Errorf("%v without spread: p = %v, expected %v", x, got, want)
		}
	}
}

// The example of four p-values has 0.02, 0.06, 0.06 and 0.02 by hand: the smallest times 4, the next times 3, and never
// less than the one before.
func ExampleHolm() {
	for _, p := range intervals.Holm([]float64{0.005, 0.04, 0.03, 0.01}) {
		fmt.Printf("%.3f ", p)
	}
	// Output:
	// 0.020 0.060 0.060 0.030
}
