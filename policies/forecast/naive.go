package forecast

import "github.com/marigram/marigram/internal/stats"

// persistence forecasts the present value.
type persistence struct{}

// Forecast implements Forecaster.
func (persistence) Forecast(out, trace []float64) { fill(out, last(trace, 1)[0]) }

// movingAverage forecasts the mean of the last Window values, or of all if
// there are fewer or Window is 0.
type movingAverage struct{ Window int }

// Forecast implements Forecaster.
func (m movingAverage) Forecast(out, trace []float64) {
	fill(out, stats.Mean(last(trace, m.Window)))
}

// truth forecasts what will be: the values of Truth behind the trace, which
// must be its beginning. Behind its end the last value stays.
type truth struct{ Truth []float64 }

// Forecast implements Forecaster.
func (o truth) Forecast(out, trace []float64) {
	for k := range out {
		out[k] = o.Truth[min(len(trace)+k, len(o.Truth)-1)]
	}
}
