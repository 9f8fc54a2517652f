// Package forecast predicts how many instances there will be, from how many
// there were: simple rules, ARIMA models, the guarded ARIMA of Parcae (NSDI 2024)
// and, as a bound, the truth. Backtest says how well they do on a trace.
package forecast

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
