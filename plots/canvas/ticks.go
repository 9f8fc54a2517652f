package canvas

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Scale puts labelled ticks at the multiples of a round step.
type Scale struct {
	Step       float64
	Unlabelled bool
}

// OneTwoFive are the steps 1, 2 and 5 times the powers of ten from the first.
func OneTwoFive(first float64) func(i int) float64 {
	return func(i int) float64 {
		return first * []float64{1, 2, 5}[i%3] * math.Pow(10, float64(i/3))
	}
}

// HourSteps are steps that divide days, or are whole days.
func HourSteps(i int) float64 {
	steps := []float64{1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 6, 12, 24, 48}
	if i < len(steps) {
		return steps[i]
	}
	return 24 * OneTwoFive(5)(i-len(steps))
}

// FitScale chooses the smallest of the steps that cuts span into at most that many parts.
func FitScale(span float64, parts int, steps func(i int) float64) Scale {
	i := 0
	for span/steps(i) > float64(parts)+1e-9 {
		i++
	}
	return Scale{Step: steps(i)}
}

// Up is the least multiple of the step from v on.
func (s Scale) Up(v float64) float64 { return s.Step * math.Ceil(v/s.Step-1e-9) }

// Down is the largest multiple of the step up to v.
func (s Scale) Down(v float64) float64 { return s.Step * math.Floor(v/s.Step+1e-9) }

// Ticks implements plot.Ticker.
func (s Scale) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	first := math.Ceil(lo/s.Step-1e-9) + 0 // without the sign of -0
	for k := first; k*s.Step <= hi+s.Step*1e-9; k++ {
		tick := plot.Tick{Value: k * s.Step, Label: Number(k * s.Step)}
		if s.Unlabelled {
			tick.Label = " " // without a label it would be a minor tick
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// decades are the ticks of a logarithmic axis: some numbers from 1 to 10, times the
// powers of ten.
type decades []float64

// SetLogarithmic makes an axis for positive numbers from lo to hi logarithmic. A tick
// stands near each of its ends, and those between are far enough apart to be read.
func SetLogarithmic(axis *plot.Axis, low, high float64) {
	const apart = 0.09 // of the axis
	const rim = 1.03   // beyond the ticks at the ends
	for _, ticks := range []decades{{1, 1.5, 2, 3, 5, 7}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}, {1}} {
		from := ticks.first(low)
		if ticks.step(from) > low {
			from--
		}
		SetAxis(axis, ticks.step(from)/rim, ticks.step(ticks.first(high))*rim, ticks)
		axis.Scale = plot.LogScale{}
		if math.Log(ticks.nearest()) >= apart*math.Log(axis.Max/axis.Min) {
			return
		}
	}
}

// nearest is the least ratio of two neighbours.
func (d decades) nearest() float64 {
	ratio := 10 / d[len(d)-1]
	for i := 1; i < len(d); i++ {
		ratio = min(ratio, d[i]/d[i-1])
	}
	return ratio
}

// step is the i-th tick from 1 on; those below 1 have negative numbers.
func (d decades) step(i int) float64 {
	power := math.Floor(float64(i) / float64(len(d)))
	return d[i-int(power)*len(d)] * math.Pow(10, power)
}

// first is the number of the first tick from v on.
func (d decades) first(v float64) int {
	i := len(d) * int(math.Floor(math.Log10(v))-1) // the logarithm may be rounded
	for d.step(i) < v {
		i++
	}
	return i
}

// Ticks implements plot.Ticker.
func (d decades) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for i := d.first(lo); d.step(i) <= hi; i++ {
		ticks = append(ticks, plot.Tick{Value: d.step(i), Label: Number(d.step(i))})
	}
	return ticks
}

// WithUnfinished are the ticks of an axis up to last, and one for what never comes.
type WithUnfinished struct {
	plot.Ticker
	Last, Edge float64
}

// Ticks implements plot.Ticker.
func (w WithUnfinished) Ticks(lo, _ float64) []plot.Tick {
	ticks := w.Ticker.Ticks(lo, w.Last)
	if last := len(ticks) - 1; last >= 0 && ticks[last].Value > w.Last-0.1*(w.Last-lo) {
		ticks[last].Label = " " // it would touch the word next to it
	}
	return append(ticks, plot.Tick{Value: w.Edge, Label: "unfinished"})
}

// Number writes a number without the dirt of binary fractions.
func Number(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// ShortNumber is for titles: two decimals, or three digits of small numbers.
func ShortNumber(v float64) string {
	if math.Abs(v) >= 1 {
		return Number(math.Round(v*100) / 100)
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return Number(v)
}
