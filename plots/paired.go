package plots

import (
	"fmt"

	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
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
	figure := &canvas.Figure{Width: 6 * vg.Inch, Title: []string{canvas.Label(name, 60), alsoSays(about, common)}}
	rows := 0
	miss := false
	for i, panel := range panels {
		for _, difference := range panel.Of {
			miss = miss || difference.Misses
			if err := difference.check(); err != nil {
				return nil, fmt.Errorf("plots: %s: %w", canvas.Label(difference.Policy, 60), err)
			}
		}
		if len(panel.Of) > 0 {
			rows = max(rows, len(panel.Of))
			figure.Panels = append(figure.Panels, []*plot.Plot{panel.panel(names[i], axis)})
		}
	}
	if rows == 0 {
		return nil, ErrNothing
	}
	mean := canvas.Key{
		Text:  "mean of the paired differences, 95 % interval",
		Glyph: canvas.GreyPoint(2.7),
		Line:  &draw.LineStyle{Color: canvas.Grey, Width: 1.1},
	}
	figure.Keys = []canvas.Key{mean, {Text: "no difference", Line: &objectiveLine}}
	if miss {
		figure.Keys = append(figure.Keys, missesKey())
	}
	figure.Height = 0.85*vg.Inch + vg.Length(len(figure.Panels))*(0.75*vg.Inch+13*vg.Length(rows))
	return figure, nil
}

func (d *Difference) check() error {
	if !drawableSigned(d.Mean) || !isShare(d.Wins) {
		return fmt.Errorf("difference %v, %v of the pairs won, want -%[3]g to %[3]g and 0 to 1", d.Mean, d.Wins,
			maxNumber)
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
	low := c.X(p.X.Norm(i.low))
	high := c.X(p.X.Norm(i.high))
	y := c.Y(p.Y.Norm(i.y))
	c.StrokeLine2(i.style, low, y, high, y)
	for _, x := range []vg.Length{low, high} {
		c.StrokeLine2(i.style, x, y-3.2, x, y+3.2)
	}
}

func (ds *Differences) panel(title, axis string) *plot.Plot {
	panel := canvas.NewPanel(title, canvas.Label(axis, 70), "")
	rows := float64(len(ds.Of))
	var values extent // 0 belongs to it
	var ticks plot.ConstantTicks
	panel.Add(canvas.Grid(), canvas.Vertical(0, -1, rows, objectiveLine))
	for i, difference := range ds.Of {
		y := rows - 1 - float64(i)
		pen := difference.line()
		pen.Width = 1.1
		pen.Dashes = nil
		if difference.Misses {
			panel.Add(row{y, canvas.PaleGrey})
		}
		ticks = append(ticks, plot.Tick{Value: y, Label: difference.text()})
		values.include(difference.Mean)
		if difference.Low <= difference.High {
			values.include(difference.Low, difference.High)
			panel.Add(interval{difference.Low, difference.High, y, pen})
		}
		panel.Add(glyphAt(difference.Mean, y, *difference.point(2.7)))
	}
	scale := canvas.FitScale(max(values.width(), 1e-6), 8, canvas.OneTwoFive(1e-7))
	canvas.SetAxis(&panel.X, scale.Down(values.low-scale.Step/4), scale.Up(values.high+scale.Step/4), scale)
	canvas.SetAxis(&panel.Y, -0.8, rows-0.2, ticks)
	return panel
}
