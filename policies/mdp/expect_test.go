package mdp

import (
	"fmt"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// What is expected after a step is the value of what is left then, also where a step does more than all the work.
func TestExpectShiftsAnyNumberOfPoints(t *testing.T) {
	check := near.Count(t)
	values := []float64{0, 1, 3, 6}
	for _, points := range []float64{-9, -3.5, -3, -1.25, 0, 0.5, 2, 7} {
		row := make([]float64, len(values))
		expect(row, values, &lead{change: change{points: points}, probability: 0.5}, 1, len(row)-1)
		for k := 1; k < len(row); k++ {
			want := 0.5 * valueAt(values, float64(k)+points)
			check.Abs(fmt.Sprintf("%v points, %d left", points, k), row[k], want, 1e-12)
		}
	}
}
