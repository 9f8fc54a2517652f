package forecast

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
)

var setup = Setup{Window: 12, Min: 8, Max: 32}

func TestBacktestArithmetic(t *testing.T) {
	check := near.Count(t)
	unknown := math.NaN()
	series := []float64{1, 2, 4, 4, unknown, 3, 3, 5, 9}
	// Windows of 2 with one before: they end at 4, 4 and 5; what comes is known of
	// the first (4, then nothing) and the last (9).
	got := Backtest(persistence{}, series, 2, 3)
	want := []Errors{{1, 2, 2, math.Sqrt(8)}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	got = Backtest(persistence{}, []float64{1, 2, 4, 4, 1}, 1, 2)
	want = []Errors{{1, 3, 5. / 3, math.Sqrt(13. / 3)}, {2, 2, 1.75, math.Sqrt(4.25)}}
	for k := range want {
		if got[k].Windows != want[k].Windows || check.Off(got[k].Absolute, want[k].Absolute, 1e-12) ||
			check.Off(got[k].RMS, want[k].RMS, 1e-12) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if got := Backtest(persistence{}, []float64{1, 2}, 2, 3); len(got) != 0 {
		t.Errorf("errors of no windows: %+v", got)
	}
	if e := Backtest(truth{series}, series, 2, 1)[0]; e.Absolute != 0 || e.Windows != 2 {
		t.Errorf("the oracle errs: %+v", e)
	}
}

func TestSimpleForecasts(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		f    Forecaster
		x    []float64
		want float64
	}{
		{persistence{}, []float64{1, 2, 7}, 7},
		{movingAverage{2}, []float64{1, 2, 7}, 4.5},
		{movingAverage{5}, []float64{1, 2, 6}, 3},
		{&smoothing{}, []float64{4}, 4},
		{&smoothing{}, []float64{0, 1, 2, 3, 4}, 4},   // each level late: the whole distance is best
		{&smoothing{}, []float64{0, 4, -4, 4, -4}, 0}, // no use in moving
		{&smoothing{}, []float64{0, 4, 2}, 2},         // a half of 4, which is the last error's end
		{truth{[]float64{1, 2, 7, 3}}, []float64{1, 2, 7}, 3},
		{&ARIMA{P: 3, D: 1, Q: 3}, []float64{1, 2, 7}, 7}, // too short for a fit
		{&Parcae{Window: 12}, []float64{1, 2, 7}, 7},
	} {
		out := make([]float64, 2)
		c.f.Forecast(out, c.x)
		if check.Off(out[0], c.want, 1e-6) || check.Off(out[1], c.want, 1e-6) {
			t.Errorf("%T after %v: %v, want %v", c.f, c.x, out, c.want)
		}
	}
}

// All of them keep a constant, and forecast the same in a second go.
func TestAllForecasters(t *testing.T) {
	check := near.Count(t)
	infos := List()
	rapid.Check(t, func(t *rapid.T) {
		x, constant := make([]float64, 20), make([]float64, 20)
		for k := range x {
			x[k], constant[k] = float64(rapid.IntRange(0, 40).Draw(t, "x")), 9
		}
		info := rapid.SampledFrom(infos).Draw(t, "info")
		out, again := make([]float64, 6), make([]float64, 6)
		s := setup
		s.Truth = constant
		info.New(s).Forecast(out, constant[:13])
		for k, v := range out {
			if check.Off(v, 9, 1e-9) {
				t.Errorf("%s: a constant becomes %v in %d", info.Name, v, k+1)
			}
		}
		s.Truth = x
		f := info.New(s)
		for end := 13; end < 16; end++ {
			f.Forecast(out, x[:end])
		}
		f = info.New(s)
		for end := 13; end < 16; end++ {
			f.Forecast(again, x[:end])
		}
		if !slices.Equal(out, again) || slices.ContainsFunc(out, math.IsNaN) {
			t.Errorf("%s: %v, then %v", info.Name, out, again)
		}
	})
}

func TestNamed(t *testing.T) {
	for _, info := range List() {
		if got, err := Named(info.Name); err != nil || got.Name != info.Name || info.Doc == "" ||
			info.Oracle != (info.Name == "oracle") {
			t.Errorf("%+v, %v", info, err)
		}
	}
	for _, bad := range []string{"", "arima", "arima-4-1-0", "arima-1-3-0", "arima-1-1-0-", "arima-01-1-0",
		"arima--1-1-0"} {
		if _, err := Named(bad); err == nil || !strings.Contains(err.Error(), "want one of persistence, ") {
			t.Errorf("%q is taken: %v", bad, err)
		}
	}
}

// Removals that are drawn are taken off every interval.
func TestParcaeRemovals(t *testing.T) {
	check := near.Count(t)
	x := []float64{30, 30, 30, 30, 29, 29, 29, 28, 28, 28, 28, 28, 28}
	p := &Parcae{Window: 12, Growth: 0, Max: 32, Removals: func(mean float64) float64 {
		if want := 5. / 36; check.Off(mean, want, 1e-12) { // variance of 2 losses in 12 intervals
			t.Errorf("mean %v, want %v", mean, want)
		}
		return 1
	}}
	out := make([]float64, 3)
	p.Forecast(out, x)
	if !slices.Equal(out, []float64{27, 26, 25}) {
		t.Errorf("%v, want one fewer each interval", out)
	}
}

func TestNoAllocationWhenWarm(t *testing.T) {
	x := []float64{30, 29, 29, 31, 28, 28, 27, 26, 30, 30, 31, 29, 28, 28}
	out := make([]float64, 12)
	for _, info := range List() {
		if info.Name == "arima-1-1-1" {
			continue // its search is gonum's
		}
		s := setup
		s.Truth = x
		f := info.New(s)
		if n := testing.AllocsPerRun(10, func() { f.Forecast(out, x) }); n != 0 {
			t.Errorf("%s allocates %v times", info.Name, n)
		}
	}
}

func BenchmarkForecast(b *testing.B) {
	_, counts := p3(b)
	out := make([]float64, 12)
	for _, info := range List() {
		b.Run(info.Name, func(b *testing.B) {
			s := setup
			s.Truth = counts
			f := info.New(s)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f.Forecast(out, counts[:13+i%600])
			}
		})
	}
}
