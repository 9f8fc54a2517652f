package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// There is a number below the first cut, between any two and from the last on, also where numbers differ by their
// rounding alone, as those of two zones that are worth the same.
func TestEvenCutsLeaveNoPartEmpty(t *testing.T) {
	half := 0.5
	cases := [][]float64{
		{1},
		{0, half, math.Nextafter(half, 0), 1},
		{0, half, math.Nextafter(half, 1), 1},
		{1, math.Nextafter(1, 2)},
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var numbers []float64
		for range 1 + random.IntN(6) {
			number := float64(random.IntN(17)) / 16
			numbers = append(numbers, number, number*(1+1e-15*random.NormFloat64()))
		}
		cases = append(cases, numbers)
	}
	for _, numbers := range cases {
		cuts := evenCuts(numbers)
		has := make([]bool, len(cuts)+1)
		for _, number := range numbers {
			i, found := slices.BinarySearch(cuts, number)
			if found {
				i++
			}
			has[i] = true
		}
		if slices.Contains(has, false) {
			t.Fatalf("%v: cuts %v, parts with numbers %v", numbers, cuts, has)
		}
	}
}
