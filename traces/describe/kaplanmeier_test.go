package describe

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// sampleLifetimes makes lifetimes of hours; a negative one is censored.
func sampleLifetimes(hours ...int64) []Lifetime {
	var out []Lifetime
	for _, h := range hours {
		l := Lifetime{From: 7 * tracetest.HourUs, To: (7 + h) * tracetest.HourUs, Lost: true}
		if h < 0 {
			l.To, l.Lost = (7-h)*tracetest.HourUs, false
		}
		out = append(out, l)
	}
	return out
}

// TestKaplanMeier goes through the remission times of Freireich et al. (1963),
// 21 patients of whom 12 are censored, worked out by hand as products of
// 1 - lost/at risk.
func TestKaplanMeier(t *testing.T) {
	check := near.Count(t)
	v := KaplanMeier(sampleLifetimes(-35, 6, -6, 10, 6, 7, -9, -10, -11, 6, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34))
	want := []struct {
		Hours        float64
		AtRisk, Lost int
		Survival     float64
	}{
		{6, 21, 3, 18. / 21}, {7, 17, 1, 18. / 21 * 16 / 17}, {10, 15, 1, 18. / 21 * 16 / 17 * 14 / 15},
		{13, 12, 1, 18. / 21 * 16 / 17 * 14 / 15 * 11 / 12}, {16, 11, 1, 18. / 21 * 16 / 17 * 14 / 15 * 11 / 12 * 10 / 11},
		{22, 7, 1, .627451 * 6 / 7}, {23, 6, 1, .627451 * 6 / 7 * 5 / 6},
	}
	var lost []SurvivalStep
	censored := 0
	for _, s := range v.Steps {
		if censored += s.Censored; s.Lost > 0 {
			lost = append(lost, s)
		}
	}
	if len(lost) != len(want) || len(v.Steps) != 16 || censored != 12 || v.Until() != 35 {
		t.Fatalf("%+v, expected 16 steps until 35, of which %d with losses, and 12 censored", v, len(want))
	}
	for i, w := range want {
		if g := lost[i]; g.Hours != w.Hours || g.AtRisk != w.AtRisk || g.Lost != w.Lost || check.Off(g.Survival, w.Survival, 1e-6) {
			t.Errorf("step %d: %+v, expected %+v", i, g, w)
		}
	}
	if m, known := v.Median(); m != 23 || !known {
		t.Errorf("median %v, expected 23", m)
	}
	for _, c := range []struct {
		h, s  float64
		known bool
	}{{0, 1, true}, {5.999, 1, true}, {6, 18. / 21, true}, {35, .627451 * 6 / 7 * 5 / 6, true}, {35.1, .627451 * 6 / 7 * 5 / 6, false}} {
		if s, known := v.At(c.h); check.Off(s, c.s, 1e-6) || known != c.known {
			t.Errorf("S(%v) is %v (known %v), expected %v", c.h, s, known, c.s)
		}
	}
}

// The example of E. L. Kaplan and P. Meier's paper, in tenths of hours: lives of
// 0.8, 3.1, 5.4 and 9.2 end in a loss, and 1.0, 2.7, 7.0 and 12.1 are censored.
func TestGreenwood(t *testing.T) {
	check := near.Count(t)
	v := KaplanMeier(sampleLifetimes(54, -121, 8, -10, -27, 31, -70, 92))
	want := []SurvivalStep{{8, 8, 1, 0, 7. / 8, 0, 0}, {10, 7, 0, 1, 7. / 8, 0, 0}, {27, 6, 0, 1, 7. / 8, 0, 0}, {31, 5, 1, 0, .7, 0, 0},
		{54, 4, 1, 0, .525, 0, 0}, {70, 3, 0, 1, .525, 0, 0}, {92, 2, 1, 0, .2625, 0, 0}, {121, 1, 0, 1, .2625, 0, 0}}
	if len(v.Steps) != len(want) {
		t.Fatalf("%+v, expected %d steps", v.Steps, len(want))
	}
	for i, g := range v.Steps {
		tracetest.Near(t, "survival", &g.Survival, want[i].Survival)
		if g.Survival, g.Low, g.High = want[i].Survival, 0, 0; g != want[i] {
			t.Errorf("step %d: %+v, expected %+v", i, g, want[i])
		}
	}
	// At 3.1 the standard error is S sqrt(1/(8 7) + 1/(5 4)), and until 5.4 it stays.
	wide := z95 * .7 * math.Sqrt(1./56+1./20)
	if s := v.Steps[3]; check.Off(s.Low, .7-wide, 1e-12) || s.High != min(1, .7+wide) {
		t.Errorf("band %v to %v, expected .7 ± %v", s.Low, s.High, wide)
	}
	if s, was := v.Steps[5], v.Steps[4]; s.Low != was.Low || s.High != was.High {
		t.Errorf("band %v to %v, expected that of the step before: nobody was lost", s.Low, s.High)
	}
	if s := KaplanMeier(sampleLifetimes(1, 2)).Steps; s[1].Survival != 0 || s[1].Low != 0 || s[1].High != s[0].High {
		t.Errorf("nobody left: %+v, expected 0 to the step before's", s)
	}
}

// Without censoring the estimate is the share that is left.
func TestKaplanMeierUncensored(t *testing.T) {
	check := near.Count(t)
	var hours []int64
	for i := range int64(300) {
		hours = append(hours, 1+i*i%97)
	}
	for _, s := range KaplanMeier(sampleLifetimes(hours...)).Steps {
		left := 0
		for _, h := range hours {
			if float64(h) > s.Hours {
				left++
			}
		}
		if check.Off(s.Survival, float64(left)/300, 1e-9) || check.Above(s.Low, s.Survival) || check.Below(s.High, s.Survival) || check.Below(s.Low, 0) ||
			check.Above(s.High, 1) {
			t.Errorf("%+v, expected %v within the band", s, float64(left)/300)
		}
	}
}

// TestSurvivalEnds are the ends of the curve: nobody, nobody lost, all lost.
func TestSurvivalEnds(t *testing.T) {
	if v := KaplanMeier(nil); len(v.Steps) != 0 || lifetimeStatistics(nil) != nil {
		t.Errorf("of nobody: %+v", v)
	}
	v := KaplanMeier(sampleLifetimes(-2, -3))
	if s, known := v.At(2.5); s != 1 || !known {
		t.Errorf("nobody lost: S %v", s)
	}
	if _, known := v.At(3.5); known {
		t.Error("nobody lost: S beyond the last is not known")
	}
	if _, known := v.Median(); known {
		t.Error("nobody lost: there is no median")
	}
	v = KaplanMeier(sampleLifetimes(1, 1, 2, 4))
	if s, known := v.At(1000); s != 0 || !known {
		t.Errorf("all lost: S %v", s)
	}
	if m, _ := v.Median(); m != 1 {
		t.Errorf("median %v, expected 1: half live no longer", m)
	}
	q := lifetimeStatistics(sampleLifetimes(1, -5, 24, -24))
	if q.N != 4 || q.Preempted != 2 || q.Censored != 2 || q.S24h30 != nil {
		t.Errorf("%+v", q)
	}
	tracetest.Near(t, "S(1)", q.S1, .75)
	tracetest.Near(t, "S(6)", q.S6, .75)
	tracetest.Near(t, "S(24)", q.S24, .375)
	tracetest.Near(t, "median", q.Median, 24)
	tracetest.Near(t, "long", q.ShareLong, .5)
}
