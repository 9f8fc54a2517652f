package plots

import (
	"math"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
)

// ranges sets the axes and returns where runs that did not finish are drawn.
func (cs *Clouds) ranges(p *plot.Plot) float64 {
	top, open := 1e-6, false
	for i := range cs.Of {
		open = open || cs.Of[i].Finished < cs.Of[i].N
		for _, r := range cs.Of[i].Runs {
			top = max(top, r.USD)
		}
	}
	y := canvas.FitScale(top*1.08, 8, canvas.OneTwoFive(1e-7))
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, y.Up(top*1.08), y
	lo, hi, far := cs.times()
	if far {
		p.X.Label.Text += ", all met"
	}
	setTimes(p, lo, hi)
	if !open {
		return 0
	}
	return addEdge(p)
}

// times are what the axis of finishes is for: those of the runs and the objective,
// unless all runs met it so early that it would take more than half of the axis; then
// far is true.
func (cs *Clouds) times() (lo, hi float64, far bool) {
	lo, hi, met := math.Inf(1), 0.0, true
	for i := range cs.Of {
		c := &cs.Of[i]
		met = met && c.MetRuns == c.N && c.Finished == c.N
		for _, r := range c.Runs {
			if r.Finished {
				lo, hi = min(lo, r.Percent), max(hi, r.Percent)
			}
		}
	}
	if met && 100-hi > max(hi-lo, leastSpan) {
		return lo, hi, true
	}
	return min(lo, 100), max(hi, 100), false
}

// leastSpan is what an axis of finishes spans at least, in per cent.
const leastSpan = 20

// setTimes sets an axis for finishes from lo to hi per cent: a logarithmic one
// where some run took many times as long as another.
func setTimes(p *plot.Plot, lo, hi float64) {
	if lo > 0 && hi > 4*lo {
		p.X.Label.Text += ", logarithmic"
		canvas.SetLogarithmic(&p.X, lo, hi)
		return
	}
	x := canvas.FitScale(max(hi-lo, 1), 6, canvas.OneTwoFive(1e-3))
	room := 0.05*(hi-lo) + x.Step/4
	p.X.Min, p.X.Max, p.X.Tick.Marker = max(x.Down(lo-room), 0), x.Up(hi+room), x
}

// addEdge lengthens the axis by a band for runs that did not finish, and
// returns its middle.
func addEdge(p *plot.Plot) float64 {
	hi := p.X.Max
	beyond := func(share float64) float64 {
		if _, logarithmic := p.X.Scale.(plot.LogScale); logarithmic {
			return hi * math.Pow(hi/p.X.Min, share)
		}
		return hi + share*(hi-p.X.Min)
	}
	mid, end := beyond(0.06), beyond(0.12)
	p.Add(canvas.Band{From: hi, To: end, Fill: canvas.PaleGrey})
	p.X.Max, p.X.Tick.Marker = end, canvas.WithUnfinished{Ticker: p.X.Tick.Marker, Last: hi, Edge: mid}
	return mid
}
