package plots

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Difference is how much more than a baseline one policy costs in runs from the same
// starts under the same seeds.
type Difference struct {
	PolicyResult
	Mean  float64 // of the policy's less the baseline's
	Low   float64 // 95 % interval of the mean; not a number: none
	High  float64
	Pairs int
	Wins  float64 // share of the pairs in which the policy has less, 0 to 1
}

// Differences are those of a panel: of one objective, for instance.
type Differences struct {
	Title string
	Of    []Difference
}

// Paired draws mean and interval of each difference next to the line of no
// difference: a panel each, below each other. axis names the numbers with
// their unit. Of more than 24 panels the first are drawn, and the figure says
// so. Numbers that cannot be drawn are an error, panels without any rows are left
// out; ErrNothing if there are no others.
func Paired(name, about, axis string, panels []Differences) (*canvas.Figure, error) {
	panels, about = limited(panels, canvas.Label(about, canvas.MaxAbout), "panels")
	names, common := titles(panels, func(p Differences) string { return p.Title }, 5*vg.Inch)
	f := &canvas.Figure{Width: 6 * vg.Inch, Title: []string{canvas.Label(name, 60), alsoSays(about, common)}}
	rows, miss := 0, false
	for i, one := range panels {
		for _, d := range one.Of {
			miss = miss || d.Misses
			if err := d.check(); err != nil {
				return nil, fmt.Errorf("plots: %s: %w", canvas.Label(d.Policy, 60), err)
			}
		}
		if len(one.Of) > 0 {
			rows = max(rows, len(one.Of))
			f.Panels = append(f.Panels, []*plot.Plot{one.panel(names[i], axis)})
		}
	}
	if rows == 0 {
		return nil, ErrNothing
	}
	f.Keys = []canvas.Key{{Text: "mean of the paired differences, 95 % interval", Glyph: canvas.GreyPoint(2.7),
		Line: &draw.LineStyle{Color: canvas.Grey, Width: 1.1}},
		{Text: "no difference", Line: &objectiveLine}}
	if miss {
		f.Keys = append(f.Keys, missesKey())
	}
	f.Height = 0.85*vg.Inch + vg.Length(len(f.Panels))*(0.75*vg.Inch+13*vg.Length(rows))
	return f, nil
}

func (d *Difference) check() error {
	if !drawable(math.Abs(d.Mean)) || !(d.Wins >= 0 && d.Wins <= 1) {
		return fmt.Errorf("difference %v, %v of the pairs won, want -%g to %g and 0 to 1", d.Mean, d.Wins, maxNumber, maxNumber)
	}
	return checkInterval(d.Low, d.High)
}

// text is the policy with what the interval does not say. One that misses the
// objective wins nothing by a low cost.
func (d *Difference) text() string {
	if d.Misses {
		return d.PolicyResult.text()
	}
	return fmt.Sprintf("%s, less in %s of %d pairs", d.PolicyResult.text(), units.Percent(d.Wins), d.Pairs)
}

// interval is a line with its ends marked.
type interval struct {
	low, high, y float64
	style        draw.LineStyle
}

// Plot implements plot.Plotter.
func (i interval) Plot(c draw.Canvas, p *plot.Plot) {
	low, high, y := c.X(p.X.Norm(i.low)), c.X(p.X.Norm(i.high)), c.Y(p.Y.Norm(i.y))
	c.StrokeLine2(i.style, low, y, high, y)
	for _, x := range []vg.Length{low, high} {
		c.StrokeLine2(i.style, x, y-3.2, x, y+3.2)
	}
}

func (ds *Differences) panel(title, axis string) *plot.Plot {
	p := canvas.NewPanel(title, canvas.Label(axis, 70), "")
	n := len(ds.Of)
	lo, hi := 0.0, 0.0
	var ticks plot.ConstantTicks
	p.Add(canvas.Grid(), canvas.Line(plotter.XYs{{X: 0, Y: -1}, {X: 0, Y: float64(n)}}, objectiveLine))
	for i, d := range ds.Of {
		y, pen := float64(n-1-i), d.line()
		pen.Width, pen.Dashes = 1.1, nil
		if d.Misses {
			p.Add(row{y, canvas.PaleGrey})
		}
		ticks = append(ticks, plot.Tick{Value: y, Label: d.text()})
		lo, hi = min(lo, d.Mean), max(hi, d.Mean)
		if d.Low <= d.High {
			lo, hi = min(lo, d.Low), max(hi, d.High)
			p.Add(interval{d.Low, d.High, y, pen})
		}
		p.Add(glyphAt(d.Mean, y, *d.point(2.7)))
	}
	x := canvas.FitScale(max(hi-lo, 1e-6), 8, canvas.OneTwoFive(1e-7))
	p.X.Min, p.X.Max, p.X.Tick.Marker = x.Down(lo-x.Step/4), x.Up(hi+x.Step/4), x
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = -0.8, float64(n)-0.2, ticks
	return p
}
