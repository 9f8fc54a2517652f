package canvas

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"github.com/marigram/marigram/internal/near"
)

// Ticks are round, end at the range, and zero has no sign.
func TestTicks(t *testing.T) {
	tests := []struct {
		lo, hi float64
		parts  int
		steps  func(int) float64
		want   string
	}{
		{0, 14.3, 12, HourSteps, "0 2 4 6 8 10 12 14"},
		{0, 0.35, 12, HourSteps, "0 0.05 0.1 0.15 0.2 0.25 0.3 0.35"},
		{0, 100, 12, HourSteps, "0 12 24 36 48 60 72 84 96"},
		{0, 3, 4, OneTwoFive(1), "0 1 2 3"},
		{0, 1, 4, OneTwoFive(1), "0 1"},
		{85, 103, 6, OneTwoFive(1e-3), "85 90 95 100"},
		{0, 3e11, 4, OneTwoFive(1e-6), "0 100000000000 200000000000 300000000000"},
	}
	for _, test := range tests {
		var got []string
		for _, tick := range FitScale(test.hi-test.lo, test.parts, test.steps).Ticks(test.lo, test.hi) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v to %v: %q, want %s", test.lo, test.hi, got, test.want)
		}
	}
}

// A logarithmic axis has labels at both ends, of round numbers, and few.
func TestLogarithmic(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct{ lo, hi, low, high float64 }{{56, 290, 50, 300}, {99, 3000, 50, 3000}, {850, 10500, 700, 15000}, {1e-9, 1e12, 1e-9, 1e12},
		{0.0011, 0.02, 0.001, 0.02}, {100, 1000, 100, 1000}} {
		var a plot.Axis
		SetLogarithmic(&a, c.lo, c.hi)
		ticks := a.Tick.Marker.Ticks(a.Min, a.Max)
		first, last := ticks[0].Value, ticks[len(ticks)-1].Value
		if check.Off(first/c.low, 1, 1e-9) || check.Off(last/c.high, 1, 1e-9) || check.Above(a.Min, c.lo) || check.Below(a.Max, c.hi) || c.hi < 1e9 &&
			len(ticks) > 9 {
			t.Errorf("%v to %v: %d ticks from %v to %v on an axis from %v to %v", c.lo, c.hi, len(ticks), first, last, a.Min, a.Max)
		}
	}
}
