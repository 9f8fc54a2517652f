package intervals_test

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/near"
)

// The p-value is 0.05 where the interval of 95 % ends at 0, and follows Student's table: t = 2.262 of 9 degrees of freedom is 0.05,
// 3.250 is 0.01, 1.833 is 0.1.
func TestPValue(t *testing.T) {
	check := near.Count(t)
	for _, x := range []struct{ t, p float64 }{{2.262, 0.05}, {3.250, 0.01}, {1.833, 0.1}, {-2.262, 0.05}} {
		half := 2.262157 // of a standard error of 1
		if got := intervals.PValue(x.t, intervals.Interval{Low: x.t - half, High: x.t + half, Units: 10}); check.Off(got, x.p, 1e-4) {
			t.Errorf("t = %v: p = %v, expected %v", x.t, got, x.p)
		}
	}
	same := intervals.Interval{Units: 5}
	if intervals.PValue(0, same) != 1 || intervals.PValue(2, intervals.Interval{Low: 2, High: 2, Units: 5}) != 0 {
		t.Error("means without spread")
	}
}

// The example of four p-values has 0.02, 0.06, 0.06 and 0.02 by hand: the smallest times 4, the next times 3, and never less than the one before.
func ExampleHolm() {
	for _, p := range intervals.Holm([]float64{0.005, 0.04, 0.03, 0.01}) {
		fmt.Printf("%.3f ", p)
	}
	// Output:
	// 0.020 0.060 0.060 0.030
}
