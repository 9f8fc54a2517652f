package intervals

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

// On a recorded market the seeds of a start are one unit, on one that each seed
// draws runs from all starts under a seed are.
func TestOf(t *testing.T) {
	run := func(by string, startS float64, seed int64) *results.Summary {
		return &results.Summary{Unit: by, StartS: startS, Seed: seed}
	}
	for _, c := range []struct {
		by   string
		want int
	}{{results.ByStart, 3}, {results.BySeed, 4}} {
		var tally Tally
		for _, start := range []float64{0, 3600, 7200} {
			for seed := range int64(4) {
				tally.Add(Of(run(c.by, start, seed)), 1)
			}
		}
		if got := tally.Units(); got != c.want {
			t.Errorf("%s: %d units of 3 starts by 4 seeds, want %d", c.by, got, c.want)
		}
	}
}

// Wilson's interval of 15 of 148 is that of Newcombe (Statistics in Medicine 17,
// 1998), Table I, method 3.
func TestWilson(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		var tally Tally
		for i := range c.n {
			tally.AddHit(Unit{Seed: int64(i)}, i < c.k)
		}
		if ci := tally.Share(); check.Off(ci.Low, c.low, 5e-5) || check.Off(ci.High, c.high, 5e-5) || ci.Units != c.n {
			t.Errorf("%d of %d: %+v, want %v to %v", c.k, c.n, ci, c.low, c.high)
		}
	}
	if none := new(Tally).Share(); none != (Interval{0, 1, 0}) {
		t.Errorf("nothing is known of no runs, not %+v", none)
	}
}

// The interval of eleven differences is Student's by the tables: 2.228 standard
// errors. Runs that are added to units alike change neither end.
func TestStudent(t *testing.T) {
	check := near.Count(t)
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} // mean 6, sum of squares 110
	for _, runs := range []int{1, 7} {
		var tally Tally
		for i, v := range x {
			for range runs {
				tally.Add(Unit{StartS: float64(i)}, v)
			}
		}
		half := 2.228 * math.Sqrt(110./10/11)
		if ci := tally.MeanInterval(); check.Off(ci.Low, 6-half, 1e-3) || check.Off(ci.High, 6+half, 1e-3) || ci.Units != 11 || tally.Mean() != 6 {
			t.Errorf("%d runs a unit: %+v about %v, want 6 -+ %v", runs, ci, tally.Mean(), half)
		}
	}
	var one Tally
	one.Add(Unit{}, 1)
	one.Add(Unit{}, 2)
	if ci := one.MeanInterval(); ci != nil {
		t.Errorf("one unit has the interval %+v", ci)
	}
}

// Costs that are alike have an interval without width, though their sums are rounded: it was NaN.
func TestIntervalOfNumbersThatAreAlike(t *testing.T) {
	for n := 2; n < 200; n++ {
		for _, usd := range []float64{39.87, 0.1, 1e9 / 3, 0} {
			var tally Tally
			for i := range n {
				tally.Add(Unit{StartS: float64(i)}, usd)
			}
			if ci := tally.MeanInterval(); !(ci.Low == ci.High) || ci.Low != tally.Mean() {
				t.Fatalf("%d times %v: %+v", n, usd, ci)
			}
		}
	}
}

// A truth in units: each start has a mean of its own, and a chance to miss of its
// own, of which its seeds draw. Intervals that count starts hold the truth in about
// 95 of 100 tries; those that count runs do in 65 at most.
func TestCoverage(t *testing.T) {
	for name, c := range map[string]struct{ starts, seeds, few int }{"19 by 5": {19, 5, 19}, "10 by 20": {10, 20, 10}, "3 by 40": {3, 40, 3}} {
		luck := rand.New(rand.NewPCG(11, uint64(c.starts)))
		const tries, mean, chance = 2000, 3.0, 0.2
		var held, heldRuns, heldShare, heldShareRuns int
		for range tries {
			var cost, missed, costRuns, missedRuns Tally
			for s := range c.starts {
				own, misses := mean+luck.NormFloat64(), luck.Float64() < chance
				for k := range c.seeds {
					start, run := Unit{StartS: float64(s)}, Unit{Seed: int64(s*c.seeds + k)}
					x, hit := own+0.1*luck.NormFloat64(), misses != (luck.IntN(100) == 0)
					cost.Add(start, x)
					costRuns.Add(run, x)
					missed.AddHit(start, hit)
					missedRuns.AddHit(run, hit)
				}
			}
			const share = chance*0.99 + (1-chance)*0.01
			count(&held, *cost.MeanInterval(), mean)
			count(&heldRuns, *costRuns.MeanInterval(), mean)
			count(&heldShare, missed.Share(), share)
			count(&heldShareRuns, missedRuns.Share(), share)
		}
		t.Logf("%s: of %d tries %d and %d by start, %d and %d by run", name, tries, held, heldShare, heldRuns, heldShareRuns)
		// 95 % of 2000 with a standard deviation of half a point.
		if p := float64(held) / tries; p < 0.93 || p > 0.97 {
			t.Errorf("%s: %v of the intervals of the mean by start hold it, want about 0.95", name, p)
		}
		if p := float64(heldShare) / tries; p < 0.9 {
			t.Errorf("%s: %v of the intervals of the share by start hold it, want at least 0.9", name, p)
		}
		if p := float64(max(heldRuns, heldShareRuns)) / tries; p > 0.65 {
			t.Errorf("%s: %v of the intervals by run hold the truth: the test cannot tell units apart", name, p)
		}
	}
}

func count(held *int, ci Interval, truth float64) {
	if ci.Low <= truth && truth <= ci.High {
		*held++
	}
}

// Units of unlike sizes, as where runs failed, and costs that are skewed: 40 units of
// one to nine runs.
func TestCoverageOfUnlikeUnits(t *testing.T) {
	luck := rand.New(rand.NewPCG(12, 12))
	const tries = 2000
	held := 0
	for range tries {
		var tally Tally
		for u := range 40 {
			own := luck.ExpFloat64()
			for range 1 + luck.IntN(9) {
				tally.Add(Unit{StartS: float64(u)}, own+luck.NormFloat64())
			}
		}
		count(&held, *tally.MeanInterval(), 1)
	}
	if p := float64(held) / tries; p < 0.9 || p > 0.97 {
		t.Errorf("%v of the intervals hold the mean, want about 0.95, a little less for skew", p)
	}
}

func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		n        int
		by, want string
	}{
		{30, results.ByStart, ""}, {29, results.BySeed, "29 seeds: too few for confidence intervals, at least 30 needed"},
		{1, results.BySeed, "1 seed: too few for confidence intervals, at least 30 needed"},
		{1, results.ByStart, "only one part of the trace: results say nothing about other periods; at least 30 starts needed (key starts)"},
	} {
		if got := Doubt(c.n, c.by); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.by, got, c.want)
		}
	}
}
