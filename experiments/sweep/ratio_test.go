package sweep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/near"
)

// Sums over the pairs, and intervals over the starts: what every start has in
// common has no width, and pairs without one of the two do not count.
func TestRatios(t *testing.T) {
	check := near.Count(t)
	nan := math.NaN()
	base := &sample{value: []float64{1, 2, 3, 4, 5, 6}, samples: []float64{10, 10, 10, 20, 20, 20}}
	for name, c := range map[string]struct {
		cost, samples    []float64
		seeds            int
		perSample, speed float64
	}{
		"half the cost":       {[]float64{.5, 1, 1.5, 2, 2.5, 3}, base.samples, 2, .5, 1},
		"half of all":         {[]float64{.5, 1, 1.5, 2, 2.5, 3}, []float64{5, 5, 5, 10, 10, 10}, 1, 1, .5},
		"one start of one":    {base.value, []float64{20, 20, 20, 40, 40, 40}, 6, nan, nan},
		"one failed":          {[]float64{nan, 2, 3, 4, 5, 6}, []float64{nan, 10, 10, 20, 20, 20}, 2, 1, 1},
		"one start of two":    {[]float64{1, 2, 3, nan, nan, nan}, []float64{10, 10, 10, nan, nan, nan}, 3, nan, nan},
		"nothing was trained": {base.value, make([]float64, 6), 2, nan, nan},
	} {
		var got Comparison
		got.ratios(&sample{value: c.cost, samples: c.samples}, base, &group{units: startsOf(6, c.seeds)})
		if math.IsNaN(c.perSample) {
			if got.PerSample != nil || got.Samples != nil {
				t.Errorf("%s: %+v, %+v, want none", name, got.PerSample, got.Samples)
			}
			continue
		}
		for want, r := range map[float64]*Ratio{c.perSample: got.PerSample, c.speed: got.Samples} {
			if r == nil || check.Off(r.Ratio, want, 1e-12) || check.Off(r.CI.Low, want, 1e-12) || check.Off(r.CI.High, want, 1e-12) {
				t.Errorf("%s: %+v, want %v and no width", name, r, want)
			}
		}
	}
}

// startsOf returns the units of n runs, n seeds a start.
func startsOf(n, seeds int) (units []intervals.Unit) {
	for i := range n {
		units = append(units, intervals.Unit{StartS: float64(i / seeds)})
	}
	return units
}

// The interval of a ratio is about as wide as the normal law's, and that of runs
// which are alike within a start as wide as their number of starts makes it.
func TestRatioIntervals(t *testing.T) {
	check := near.Count(t)
	luck := rand.New(rand.NewPCG(9, 9))
	const starts, seeds = 200, 5
	s, base := &sample{}, &sample{}
	for range starts {
		x := 1 + 0.1*luck.NormFloat64()
		for range seeds {
			s.value, s.samples = append(s.value, x), append(s.samples, 1)
			base.value, base.samples = append(base.value, 1), append(base.samples, 1)
		}
	}
	var c Comparison
	c.ratios(s, base, &group{units: startsOf(starts*seeds, seeds)})
	width, want := c.PerSample.CI.High-c.PerSample.CI.Low, 2*1.96*0.1/math.Sqrt(starts)
	if check.OffRel(width, want, 0.2) {
		t.Errorf("width %v, want about %v", width, want)
	}
}
