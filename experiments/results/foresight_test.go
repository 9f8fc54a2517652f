package results

import (
	"math"
	"math/rand/v2"
	"testing"

	numbers "github.com/marigram/marigram/internal/near"
)

// The even futures choose for the odd ones, and these for them.
func TestForesight(t *testing.T) {
	for _, c := range []struct {
		name        string
		futures     [][2]float64 // without foresight, bound
		usd, stdErr float64
	}{
		{"both halves without", [][2]float64{{5, 1}, {7, 1}, {5, 1}, {7, 1}}, 6, math.Sqrt(1. / 3)},
		{"both halves the bound", [][2]float64{{-50, 3}, {1, 5}, {-40, 4}, {3, 4}}, 4, math.Sqrt(1. / 6)},
		{"each half the other's choice", [][2]float64{{10, 2}, {1, 4}, {10, 2}, {1, 4}}, 1.5, math.Sqrt(1. / 12)}, // its own would be 10 and 4
	} {
		var f Foresight
		for _, x := range c.futures {
			f.Add(x[0], x[1])
		}
		usd, stdErr := f.Mean()
		numbers.Abs(t, c.name, usd, c.usd, 1e-12)
		numbers.Abs(t, c.name+", standard error", stdErr, c.stdErr, 1e-12)
	}
}

// Where both have the same expectation, choosing between them does not raise it: the larger of both means would be 0.56
// standard errors above.
func TestForesightIsNotAboveItsParts(t *testing.T) {
	rand, sum, squares := rand.New(rand.NewPCG(1, 2)), 0.0, 0.0
	const studies, futures = 4000, 10
	for range studies {
		var f Foresight
		for range futures {
			f.Add(rand.NormFloat64(), rand.NormFloat64())
		}
		usd, _ := f.Mean()
		sum, squares = sum+usd, squares+usd*usd
	}
	mean := sum / studies
	if limit := 4 * math.Sqrt(squares/studies/studies); numbers.Count(t).Above(math.Abs(mean), limit) {
		t.Errorf("mean %v, expected 0 within %v", mean, limit)
	}
}
