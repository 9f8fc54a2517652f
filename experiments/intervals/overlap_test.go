package intervals

import (
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

// Of runs that last that long, n share nothing.
func TestApart(t *testing.T) {
	for lasting, want := range map[float64]int{1: 4, 10: 4, 11: 2, 20: 2, 31: 1} {
		if apart, starts := Apart([]float64{30, 0, 10, 10, 20}, lasting); apart != want || starts != 4 {
			t.Errorf("%v: %d of %d starts, want %d of 4", lasting, apart, starts, want)
		}
	}
}

// Forty-three starts of which three share no part of the trace prove no more than three: not nine of ten runs in time,
// which forty-three apart prove. Seeds are apart whatever they last.
func TestOverlappingStartsProveLittle(t *testing.T) {
	for _, c := range []struct {
		by     string
		everyS float64
		units  int
		want   string
	}{
		{results.ByStart, 1800, 3, Undecided},
		{results.ByStart, 30000, 43, Proven},
		{results.BySeed, 1800, 43, Proven},
	} {
		var met, usd Tally
		finish := 8 * 3600.0
		for i := range 43 {
			run := &results.Summary{Unit: c.by, StartS: c.everyS * float64(i), Seed: int64(i), FinishS: &finish, Met: true, CostUSD: float64(i % 5)}
			met.AddRunHit(run, run.Met)
			usd.AddRun(run, run.CostUSD)
		}
		share := met.Share()
		if share.Units != c.units || met.Units() != 43 || usd.MeanInterval().Units != c.units {
			t.Errorf("%s every %v s: %+v and %+v, expected %d units", c.by, c.everyS, share, usd.MeanInterval(), c.units)
		}
		if got := share.Verdict(0.9); got != c.want {
			t.Errorf("%s every %v s: %s, expected %s", c.by, c.everyS, got, c.want)
		}
		if isNone := NoBest("", c.by, share.Units) == ""; isNone != (c.units >= Few) {
			t.Errorf("%s every %v s: a policy is called the best: %v", c.by, c.everyS, isNone)
		}
	}
}

// The exact test by hand: 3 late of 100 beside 0 is 2/2^3; 6 beside 0 2/2^6. Runs that are late under both say nothing,
// seeds of a start are one unit, and starts that overlap are not counted twice.
func TestSharesPValue(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		name              string
		one, other        []int // which of a hundred starts are late
		seeds             int
		lastingS, expects float64
	}{
		{"3 beside 0", []int{4, 50, 90}, nil, 1, 0, 0.25},
		{"6 beside 0", []int{4, 20, 30, 40, 50, 90}, nil, 1, 0, 0.03125},
		{"5 beside 1, 1 in common", []int{4, 20, 30, 40, 50}, []int{50}, 1, 0, 0.125},
		{"3 beside 3 others", []int{1, 2, 3}, []int{4, 5, 6}, 1, 0, 1},
		{"none", nil, nil, 1, 0, 1},
		{"3 starts of 7 seeds", []int{4, 50, 90}, nil, 7, 0, 0.25},
		{"6 in a row that overlap", []int{0, 1, 2, 3, 4, 5}, nil, 1, 3, 0.5},
	} {
		late := func(of []int) (tally Tally) {
			tally.Lasting(c.lastingS)
			for i := range 100 {
				isLate := false
				for _, k := range of {
					isLate = isLate || k == i
				}
				for range c.seeds {
					tally.AddHit(Unit{StartS: float64(i)}, isLate)
				}
			}
			return tally
		}
		one, other := late(c.one), late(c.other)
		if p, back := one.SharesPValue(&other), other.SharesPValue(&one); check.Off(p, c.expects, 1e-12) || back != p {
			t.Errorf("%s: p = %v and %v, expected %v", c.name, p, back, c.expects)
		}
	}
}
