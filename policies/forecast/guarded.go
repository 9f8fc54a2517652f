package forecast

import (
	"math"
	"slices"
)

// Parcae is the forecaster of Parcae (NSDI 2024, section 8), as its public code
// has it (JF-D/Parcae, liveput/trace_prediction.py): the window is cleaned of
// spikes and cut at its turning point, ARIMA(1,1,0) with drift is fitted to it, and
// its forecasts are guarded. The forecasts are whole numbers. Until more than
// Window values were observed, the present one stays.
type Parcae struct {
	Window   int     // values looked at; the paper has 12
	Growth   float64 // how far the second forecast and later ones may be from the first; the code has 3
	Min, Max float64 // what there can be; the code has 8 and 32. Max 0: no limit
	// Sticky keeps a penalty for all later forecasts, as the code does; else it is
	// for the one whose window rose or fell.
	Sticky bool
	// Removals draws how many instances more are lost in an interval, of a mean,
	// where the guarded forecast is constant after a window that is not. The code
	// draws from a Poisson distribution without a seed; nil: none.
	Removals func(mean float64) float64

	model      ARIMA
	clean      []float64
	raw        []float64 // of the model
	arrivals   penalty
	departures penalty
}

// penalty is the share kept of the arrivals (or departures) that are forecast; 0
// stands for all of them.
type penalty float64

// of returns what is kept of so many.
func (p penalty) of(count float64) float64 {
	if p == 0 {
		return count
	}
	return float64(p) * count
}

// Reset forgets the penalties.
func (p *Parcae) Reset() {
	p.arrivals = 0
	p.departures = 0
}

// Forecast implements Forecaster.
func (p *Parcae) Forecast(out, trace []float64) {
	present := last(trace, 1)[0]
	if len(trace) <= p.Window {
		fill(out, present)
		return
	}
	p.clean = append(p.clean[:0], last(trace, p.Window)...)
	flattenSpikes(p.clean)
	levelBeforeTurn(p.clean)
	p.setPenalties()
	p.model.P = 1
	p.model.D = 1
	p.model.Drift = true
	p.model.Forecast(out, p.clean)
	p.raw = append(p.raw[:0], out...)
	p.guard(out)
	removals := 0.0
	if p.Removals != nil && isConstant(out) && !isConstant(p.clean) {
		removals = lossRate(last(trace, p.Window+1))
	}
	p.applyPenalties(out, present, removals)
}

// flattenSpikes takes spikes of three values, two and one out: what lies between two
// equal values and differs from them.
func flattenSpikes(x []float64) {
	for width := 3; width > 0; width-- {
		for j := 0; j+width+1 < len(x); j++ {
			if x[j] == x[j+width+1] && !slices.Contains(x[j+1:j+width+1], x[j]) {
				fill(x[j+1:j+width+1], x[j])
			}
		}
	}
}

// levelBeforeTurn levels what lies before the last turning point: the least value, if it is below both ends, else the
// greatest, if it is above both.
func levelBeforeTurn(x []float64) {
	lowest := 0
	highest := 0
	for k, v := range x {
		if v <= x[lowest] {
			lowest = k
		}
		if v >= x[highest] {
			highest = k
		}
	}
	first := x[0]
	end := x[len(x)-1]
	if x[lowest] < min(first, end) {
		fill(x[:lowest], x[lowest])
	} else if x[highest] > max(first, end) {
		fill(x[:highest], x[highest])
	}
}

// setPenalties sets the penalties by how far the clean window rises or falls throughout.
func (p *Parcae) setPenalties() {
	if !p.Sticky {
		p.Reset()
	}
	rises := true
	falls := true
	for k := range p.clean[1:] {
		rises = rises && p.clean[k+1] >= p.clean[k]
		falls = falls && p.clean[k+1] <= p.clean[k]
	}
	change := math.Abs(p.clean[len(p.clean)-1] - p.clean[0])
	if change < 5 {
		return
	}
	share := penalty(0.5)
	if change < 10 {
		share = 0.75
	}
	if rises {
		p.arrivals = share
	}
	if falls {
		p.departures = share
	}
}

// guard rounds forecasts, half to even, and clamps them.
func (p *Parcae) guard(out []float64) {
	for k := range out {
		out[k] = math.RoundToEven(out[k])
	}
	for k := 1; k < len(out); k++ {
		out[k] = min(max(out[k], out[0]-p.Growth), out[0]+p.Growth)
	}
	for k := range out {
		out[k] = max(out[k], p.Min)
		if p.Max > 0 {
			out[k] = min(out[k], p.Max)
		}
	}
}

// lossRate is the mean of the removals to be drawn: the least of standard
// deviation, variance and mean of what was lost in the intervals of the window,
// whose first value is the one before it.
func lossRate(x []float64) float64 {
	sum := 0.0
	squares := 0.0
	for k := range x[1:] {
		lost := max(x[k]-x[k+1], 0)
		sum += lost
		squares += lost * lost
	}
	n := float64(len(x) - 1)
	variance := max(squares/n-sum/n*sum/n, 0)
	return min(math.Sqrt(variance), variance, sum/n)
}

// applyPenalties turns forecasts into arrivals and departures, with removals drawn of a mean, applies the penalties to
// them, and puts them together again.
func (p *Parcae) applyPenalties(out []float64, now, removals float64) {
	before := now
	for k, expected := range out {
		gone := max(before-expected, 0)
		if removals > 0 {
			gone += p.Removals(removals)
		}
		now = math.RoundToEven(now + p.arrivals.of(max(expected-before, 0)) - p.departures.of(gone))
		out[k] = now
		before = expected
	}
}

// isConstant says whether all values are the same.
func isConstant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}
