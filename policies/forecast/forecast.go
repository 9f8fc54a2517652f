// Package forecast predicts how many instances there will be, from how many
// there were: simple rules, ARIMA models, the guarded ARIMA of Parcae (NSDI 2024)
// and, as a bound, the truth. Backtest says how well they do on a trace.
package forecast

import (
	"fmt"
	"math"
	"strings"
)

// Forecaster predicts a series that is observed once an interval. Unless its
// type says otherwise it allocates nothing when warm, and the same calls in the
// same order give the same forecasts.
type Forecaster interface {
	// Forecast fills out with the values expected in the next len(out) intervals,
	// given all that was observed so far, oldest first; the last is the present
	// one. A forecast is a real number: who wants counts rounds it. An empty
	// trace panics; one that is not finite within the window is misuse, too.
	Forecast(out, trace []float64)
}

// Setup is what forecasters are made for.
type Setup struct {
	Window   int       // they look back n intervals, at least 1
	Min, Max float64   // what there can be, for those with guards; Max 0: no limit
	Truth    []float64 // the whole series, for the oracle
}

// last returns the last n values of a trace, or all if there are fewer or n is
// 0.
func last(trace []float64, n int) []float64 {
	if len(trace) == 0 {
		panic("forecast: no trace")
	}
	if n > 0 && n < len(trace) {
		return trace[len(trace)-n:]
	}
	return trace
}

// fill sets all values of out.
func fill(out []float64, v float64) {
	for k := range out {
		out[k] = v
	}
}

// Info describes a forecaster.
type Info struct {
	Name   string
	Doc    string // one line
	Source string
	Oracle bool // it knows the future: a bound, not a choice
	New    func(Setup) Forecaster
}

// List returns the forecasters in the order in which they are shown.
func List() []Info {
	return []Info{
		{"persistence", "the present count stays", "the naive forecast", false,
			func(Setup) Forecaster { return persistence{} }},
		{"moving-average", "the mean of the window", "the simple moving average", false,
			func(s Setup) Forecaster { return movingAverage{s.Window} }},
		{"smoothing", "exponential smoothing, with its weight fitted to the window",
			"Brown, Statistical Forecasting for Inventory Control, 1959", false,
			func(s Setup) Forecaster { return &smoothing{Window: s.Window} }},
		arima(1, 0, 0, true),
		arima(0, 1, 1, false),
		arima(1, 1, 0, false),
		arima(1, 1, 0, true),
		arima(1, 1, 1, false),
		{"parcae", "Parcae's guarded ARIMA(1,1,0) with drift", "Parcae (NSDI 2024), its public code", false,
			func(s Setup) Forecaster { return parcae(s, false) }},
		{"parcae-sticky", "the same with permanent penalties, as in the public code",
			"Parcae (NSDI 2024), its public code", false,
			func(s Setup) Forecaster { return parcae(s, true) }},
		{"oracle", "the true future counts", "a bound", true,
			func(s Setup) Forecaster { return truth{s.Truth} }},
	}
}

// Named returns the forecaster of a name: one of List, or an ARIMA model such as
// arima-2-1-1 or arima-2-1-1-drift.
func Named(name string) (Info, error) {
	all := List()
	for _, info := range all {
		if info.Name == name {
			return info, nil
		}
	}
	var p, d, q int
	if n, _ := fmt.Sscanf(name, "arima-%d-%d-%d", &p, &d, &q); n == 3 {
		for _, drift := range []bool{false, true} {
			if info := arima(p, d, q, drift); info.Name == name && orders(p, d, q) {
				return info, nil
			}
		}
	}
	names := make([]string, len(all))
	for k, info := range all {
		names[k] = info.Name
	}
	return Info{}, fmt.Errorf("no forecaster %q, want one of %s, or arima-P-D-Q or arima-P-D-Q-drift with P "+
		"and Q 0 to %d, D 0 to %d",
		name, strings.Join(names, ", "), maxOrder, maxDifferences)
}

// arima describes a model of the family.
func arima(p, d, q int, drift bool) Info {
	name, doc := fmt.Sprintf("arima-%d-%d-%d", p, d, q), fmt.Sprintf("ARIMA(%d,%d,%d) fitted to the window", p, d, q)
	switch {
	case drift && d == 0:
		name, doc = name+"-drift", doc+", around a mean"
	case drift:
		name, doc = name+"-drift", doc+", with drift"
	}
	return Info{name, doc, "Box and Jenkins, Time Series Analysis, 1970", false,
		func(s Setup) Forecaster { return &ARIMA{P: p, D: d, Q: q, Drift: drift, Window: s.Window} }}
}

func parcae(s Setup, sticky bool) *Parcae {
	return &Parcae{Window: s.Window, Growth: 3, Min: s.Min, Max: s.Max, Sticky: sticky}
}

// Errors are how far off forecasts were over their first intervals, in
// instances.
type Errors struct {
	Intervals int     `json:"intervals"` // looked ahead, all of them averaged
	Windows   int     `json:"windows"`   // forecasts that what came is known of
	Absolute  float64 `json:"mae"`       // mean absolute error
	RMS       float64 `json:"rmse"`      // root of the mean square
}

// Backtest forecasts a series of counts, NaN where not known, from each of its
// values on that has window known ones before it, and returns the errors over 1
// to horizon intervals ahead; those that no forecast can be held against are left
// out. As policies would, it rounds forecasts to counts, half to even. f is told
// all that came before.
func Backtest(f Forecaster, series []float64, window, horizon int) []Errors {
	out, errs := make([]float64, horizon), make([]Errors, horizon)
	known := 0
	for t, v := range series {
		known++
		if math.IsNaN(v) {
			known = 0
		}
		if known <= window || t+1 == len(series) {
			continue
		}
		f.Forecast(out, series[:t+1])
		compare(errs, out, series[t+1:])
	}
	for k := range errs {
		e := &errs[k]
		if e.Windows == 0 {
			return errs[:k]
		}
		e.Intervals = k + 1
		e.Absolute /= float64(e.Windows)
		e.RMS = math.Sqrt(e.RMS / float64(e.Windows))
	}
	return errs
}

// compare adds the errors of one forecast, as far as what came is known.
func compare(errs []Errors, forecast, came []float64) {
	var absolute, square float64
	for k := range min(len(forecast), len(came)) {
		e := math.RoundToEven(forecast[k]) - came[k]
		if math.IsNaN(e) {
			return
		}
		absolute += math.Abs(e)
		square += e * e
		errs[k].Windows++
		errs[k].Absolute += absolute / float64(k+1)
		errs[k].RMS += square / float64(k+1)
	}
}
