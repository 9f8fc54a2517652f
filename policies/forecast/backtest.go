package forecast

import "math"

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
	out := make([]float64, horizon)
	errs := make([]Errors, horizon)
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
		addErrors(errs, out, series[t+1:])
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

// addErrors adds the errors of one forecast, as far as what came is known.
func addErrors(errs []Errors, forecast, came []float64) {
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
