package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/stats"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func numbers(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 50).Draw(t, "numbers")
}

// Mean sums in order: the order of the numbers shows in the last bits.
func TestMean(t *testing.T) {
	if got := stats.Mean([]float64{1e16, 1, -1e16}); got != 0 {
		t.Errorf("%v, expected 0: 1e16 + 1 is 1e16", got)
	}
	if got := stats.Mean([]float64{1e16, -1e16, 1}); got != 1.0/3 {
		t.Errorf("%v, expected 1/3", got)
	}
	if got := stats.Mean(nil); !math.IsNaN(got) {
		t.Errorf("%v of none, expected NaN", got)
	}
}

func TestMedian(t *testing.T) {
	x := []float64{9, 1, 4, 2}
	if got := stats.Median(x); got != 3 || x[0] != 9 {
		t.Errorf("%v, expected 3, and %v as it was", got, x)
	}
	if got := stats.Median(x[:3]); got != 4 {
		t.Errorf("%v, expected 4", got)
	}
	if got := stats.Median(nil); !math.IsNaN(got) {
		t.Errorf("%v of none, expected NaN", got)
	}
}

// NearestRank is gonum's Empirical, and in whole numbers of per cent it is the rank that whole numbers give.
func TestNearestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := slices.Sorted(slices.Values(numbers(t)))
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		if got, want := stats.NearestRank(x, share), stat.Quantile(share, stat.Empirical, x, nil); got != want {
			t.Fatalf("%v, expected %v", got, want)
		}
	})
	x := make([]float64, 5000)
	for i := range x {
		x[i] = float64(i + 1)
	}
	for n := 1; n <= len(x); n++ {
		for _, percent := range []int{50, 90, 95, 99, 100} {
			if got, want := stats.NearestRank(x[:n], float64(percent)/100), (percent*n+99)/100; got != float64(want) {
				t.Fatalf("%d %% of %d numbers: the %vth, expected the %dth", percent, n, got, want)
			}
		}
	}
	if got := stats.NearestRank(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("%v of none, expected NaN", got)
	}
}

func TestOuterRank(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for share, want := range map[float64]float64{0: 1, 0.05: 1, 0.25: 2, 0.5: 5, 0.75: 8, 0.95: 9, 1: 9} {
		if got := stats.OuterRank(x, share); got != want {
			t.Errorf("%v: %v, expected %v", share, got, want)
		}
	}
	if got := stats.OuterRank(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("%v of none, expected NaN", got)
	}
}

func TestInterpolated(t *testing.T) {
	x := []float64{1, 3, 4, math.Inf(1), math.Inf(1)}
	for share, want := range map[float64]float64{0: 1, 0.125: 2, 0.25: 3, 0.375: 3.5, 0.5: 4, 0.9: math.Inf(1), 1: math.Inf(1)} {
		if got := stats.Interpolated(x, share); got != want {
			t.Errorf("%v: %v, expected %v", share, got, want)
		}
	}
}

func TestFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if stats.Finite(x) || stats.FiniteOrNil(x) != nil {
			t.Errorf("%v is taken as finite", x)
		}
	}
	if x := stats.FiniteOrNil(-1); x == nil || *x != -1 {
		t.Error("-1 is not taken as finite")
	}
}
