package forecast

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
)

// Fits of testdata/arima.py by statsmodels 0.13.5, a Kalman filter.
func TestARIMAFits(t *testing.T) {
	check := near.Count(t)
	data, err := os.ReadFile("testdata/arima.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Series map[string][]float64
		Fits   []struct {
			Series           string
			P, D, Q          int
			Drift            bool
			AR, MA, Forecast []float64
			Mean, Variance   float64
			LogLikelihood    float64 `json:"log_likelihood"`
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Fits) != 18 {
		t.Errorf("%d fits, want 18", len(file.Fits))
	}
	better := 0
	for _, f := range file.Fits {
		t.Run(fmt.Sprintf("%s-%d-%d-%d-%v", f.Series, f.P, f.D, f.Q, f.Drift), func(t *testing.T) {
			m := &ARIMA{P: f.P, D: f.D, Q: f.Q, Drift: f.Drift}
			out := make([]float64, len(f.Forecast))
			m.Forecast(out, file.Series[f.Series])
			n := float64(m.observed)
			ll := -0.5 * (m.model.likelihood(m.differences[:m.observed], m.Drift) + n*math.Log(2*math.Pi) + n)
			if check.Below(ll, f.LogLikelihood-1e-6) {
				t.Errorf("log-likelihood %v, want at least %v", ll, f.LogLikelihood)
			}
			if ll > f.LogLikelihood+1e-3 { // statsmodels stopped on a lower hill
				better++
				return
			}
			near := func(what string, got, want float64) {
				t.Helper()
				if check.Off(got, want, 2e-4*math.Max(1, math.Abs(want))) {
					t.Errorf("%s %v, want %v", what, got, want)
				}
			}
			for k, v := range f.AR {
				near("ar", m.model.ar[k], v)
			}
			for k, v := range f.MA {
				near("ma", m.model.ma[k], v)
			}
			near("mean", m.model.mu+m.mean, f.Mean)
			near("variance", m.model.variance, f.Variance)
			for k, v := range f.Forecast {
				near("forecast", out[k], v)
			}
		})
	}
	if better != 1 {
		t.Errorf("%d fits are better than those of statsmodels, want that of ARIMA(2,1,1) with drift", better)
	}
}

// The annual level of a hormone (lh of R), whose fits the manual of arima() in R
// prints: three orders, to the digits printed.
func TestARIMAManual(t *testing.T) {
	check := near.Count(t)
	lh := []float64{2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7, 2.2, 1.8, 3.2, 3.2, 2.7, 2.2, 2.2, 1.9,
		1.9, 1.8, 2.7, 3.0,
		2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3, 2.6, 2.4, 1.8, 1.7, 1.5, 1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0,
		2.9}
	for _, c := range []struct {
		p, q                       int
		ar, ma                     []float64
		mean, variance, likelihood float64
	}{
		{1, 0, []float64{.5739}, nil, 2.4133, .1975, -29.38},
		{3, 0, []float64{.6448, -.0634, -.2198}, nil, 2.3931, .1787, -27.09},
		{1, 1, []float64{.4522}, []float64{.1982}, 2.4101, .1923, -28.76},
	} {
		m := &ARIMA{P: c.p, Q: c.q, Drift: true}
		m.Forecast(make([]float64, 3), lh)
		n := float64(m.observed)
		ll := -0.5 * (m.model.likelihood(m.differences[:m.observed], true) + n*math.Log(2*math.Pi) + n)
		got := append(append([]float64{m.model.mu + m.mean, m.model.variance}, m.model.ar[:c.p]...), m.model.ma[:c.q]...)
		for k, want := range append(append([]float64{c.mean, c.variance}, c.ar...), c.ma...) {
			if check.Off(got[k], want, 1e-4) {
				t.Errorf("ARIMA(%d,0,%d): %v, want %v", c.p, c.q, got[k], want)
			}
		}
		if check.Off(ll, c.likelihood, .006) {
			t.Errorf("ARIMA(%d,0,%d): log-likelihood %v, want %v", c.p, c.q, ll, c.likelihood)
		}
	}
}

// What any model does: a constant stays, a line is gone on with where there is
// a drift, and a shift of the trace shifts the forecast.
func TestARIMAProperties(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		m := &ARIMA{P: rapid.IntRange(0, 1).Draw(t, "p"), D: rapid.IntRange(0, 2).Draw(t, "d"),
			Drift: rapid.Bool().Draw(t, "drift")}
		if m.P == 0 {
			m.Q = rapid.IntRange(0, 1).Draw(t, "q")
		}
		if m.D == 0 {
			m.Drift = true // without one, the mean is known to be 0
		}
		n := rapid.IntRange(8, 40).Draw(t, "n")
		x, shifted := make([]float64, n), make([]float64, n)
		constant, slope := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k] = float64(rapid.IntRange(0, 32).Draw(t, "x"))
			shifted[k] = x[k] + 100
			constant[k], slope[k] = 7, 3+2*float64(k)
		}
		out, moved := make([]float64, 5), make([]float64, 5)
		m.Forecast(out, constant)
		for k, v := range out {
			if v != 7 {
				t.Errorf("a constant becomes %v in %d", v, k+1)
			}
		}
		if m.D == 1 && m.Drift || m.D == 2 {
			m.Forecast(out, slope)
			for k, v := range out {
				if check.Off(v, 3+2*float64(n+k), 1e-9) {
					t.Errorf("a line becomes %v in %d", v, k+1)
				}
			}
		}
		m.Forecast(out, x)
		m.Forecast(moved, shifted)
		for k := range out {
			if check.Off(moved[k]-out[k], 100, 1e-4) {
				t.Errorf("%v and, 100 higher, %v", out, moved)
			}
		}
	})
}

func TestARIMARefuses(t *testing.T) {
	for _, m := range []*ARIMA{{P: 4}, {Q: -1}, {D: 3}, {Window: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is taken", m)
				}
			}()
			m.Forecast(make([]float64, 1), []float64{1, 2, 3})
		}()
	}
}
