package forecast

import (
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/marigram/marigram/internal/stats"
)

// smoothing is simple exponential smoothing: the level moves towards each value
// by a share of the distance (Brown 1959), from the first value of the window
// on, and is the forecast of all intervals to come. The share, 0 to 1, is the one
// with the least squared errors one interval ahead within the window.
type smoothing struct {
	Window int // values looked at; 0: all
	values []float64
}

// Forecast implements Forecaster.
func (s *smoothing) Forecast(out, trace []float64) {
	s.values = append(s.values[:0], last(trace, s.Window)...)
	_, level := s.smooth(searchLine(s.sumErrors, 0, 1))
	fill(out, level)
}

func (s *smoothing) sumErrors(share float64) float64 {
	sum, _ := s.smooth(share)
	return sum
}

// smooth returns the sum of squared errors one interval ahead, and the last level.
func (s *smoothing) smooth(share float64) (sum, level float64) {
	level = s.values[0]
	for _, v := range s.values[1:] {
		e := v - level
		sum += e * e
		level += share * e
	}
	return sum, level
}

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

// searchLine returns where f is least between low and high, ends included, to about 1e-9 of the interval: by a grid
// of 100 parts, and golden sections beside its best point. f need not be unimodal, but its best valley must be wider
// than a part.
func searchLine(f func(float64) float64, low, high float64) float64 {
	const parts = 100
	at := func(k int) float64 { return low + (high-low)*float64(k)/parts }
	best := 0
	smallest := math.Inf(1)
	for k := range parts + 1 {
		value := f(at(k))
		if value < smallest {
			smallest = value
			best = k
		}
	}
	x := searchGolden(f, at(max(best-1, 0)), at(min(best+1, parts)), 1e-9*(high-low))
	if f(x) < smallest {
		return x
	}
	return at(best)
}

// searchGolden narrows a valley between a and b down to a width, by golden sections at x and y.
func searchGolden(f func(float64) float64, a, b, width float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	x := b - ratio*(b-a)
	y := a + ratio*(b-a)
	fx := f(x)
	fy := f(y)
	for b-a > width {
		if fx <= fy {
			b = y
			y = x
			fy = fx
			x = b - ratio*(b-a)
			fx = f(x)
		} else {
			a = x
			x = y
			fx = fy
			y = a + ratio*(b-a)
			fy = f(y)
		}
	}
	return (a + b) / 2
}

// searchSimplex returns where f of n variables is least, by Nelder and Mead from the
// origin and from one step either way along each axis, the best of all. f is
// +Inf where it has no value.
func searchSimplex(f func([]float64) float64, n int) []float64 {
	const step = 0.5
	var best []float64
	smallest := math.Inf(1)
	for k := range 2*n + 1 {
		start := make([]float64, n)
		if k > 0 {
			start[(k-1)/2] = step * float64(1-2*(k%2))
		}
		settings := &optimize.Settings{
			MajorIterations: 400 * n,
			Converger:       &optimize.FunctionConverge{Absolute: 1e-10, Iterations: 20 * n},
		}
		result, err := optimize.Minimize(optimize.Problem{Func: f}, start, settings, &optimize.NelderMead{})
		if result == nil {
			panic("forecast: " + err.Error()) // a bad call, not bad data
		}
		if result.F < smallest { // also where the iterations ran out: err says no more
			best = result.X
			smallest = result.F
		}
	}
	return best
}
