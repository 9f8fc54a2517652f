package plots

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lifetimes are the lives of some machines that are compared with others.
type Lifetimes struct {
	Name  string
	Lives []Life
}

// MostCurves is how many curves can be told apart.
const MostCurves = 7

// Survival draws for each group the share of machines that live longer than a
// time (KaplanMeier), its 95 % band, marks where lives were censored, and below
// the axis how many were at risk. At most seven groups; more are an error.
func Survival(name, about string, groups []Lifetimes) (*Figure, error) {
	if len(groups) > MostCurves {
		return nil, fmt.Errorf("plots: %d groups of lifetimes, want at most %d", len(groups), MostCurves)
	}
	var curves []curve
	for i, g := range groups {
		steps, err := KaplanMeier(g.Lives)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label(g.Name, 60), err)
		}
		if len(g.Lives) > 0 {
			curves = append(curves, curve{g, steps, typeColors[i]})
		}
	}
	end := 0.0
	for _, c := range curves {
		end = max(end, c.steps[len(c.steps)-1].H)
	}
	if end == 0 {
		return nil, ErrNothing
	}
	foot := riskHeight * vg.Length(len(curves)+1)
	f := &Figure{width: 6 * vg.Inch, height: 3.9*vg.Inch + foot + keyHeight*vg.Length(len(curves)), foot: foot,
		title:  []string{label(name, 60) + ": survival of machines", label(about, 100)},
		panels: [][]*plot.Plot{{survivalPanel(curves, end)}}}
	for _, c := range curves {
		f.keys = append(f.keys, c.key())
	}
	return f, nil
}

// curve is one group's estimate.
type curve struct {
	Lifetimes
	steps []SurvivalStep
	color color.RGBA
}

func (c *curve) key() key {
	censored := 0
	for _, l := range c.Lives {
		if l.Censored {
			censored++
		}
	}
	median := "none"
	if h, ok := Median(c.steps); ok {
		median = round2(h) + " h"
	}
	return key{
		text: fmt.Sprintf("%s: %d lives, %d censored, median %s", label(c.Name, 40), len(c.Lives), censored, median),
		line: &draw.LineStyle{Color: c.color, Width: 1.3}, fill: tint(c.color, 0.2),
	}
}

func survivalPanel(curves []curve, end float64) *plot.Plot {
	p := newPanel("", "hours lived", "share that lives longer")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.02*end, 0, 1.02
	ticks := fit(end, 8, hours)
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, fit(1, 5, oneTwoFive(0.1))
	p.Add(grid())
	for _, c := range curves {
		p.Add(survivalBand{c.stairs(func(s SurvivalStep) float64 { return s.Low }), c.stairs(func(s SurvivalStep) float64 { return s.High }), c.color})
	}
	for _, c := range curves {
		p.Add(line(c.stairs(func(s SurvivalStep) float64 { return s.S }), draw.LineStyle{Color: c.color, Width: 1.3}))
		p.Add(censorMarks{&c})
	}
	p.Add(atRisk{curves, ticks})
	return p
}

// stairs are the points of one of a curve's numbers, up to the last life.
func (c *curve) stairs(number func(SurvivalStep) float64) plotter.XYs {
	points := plotter.XYs{{X: 0, Y: number(c.steps[0])}}
	for i, s := range c.steps[1:] {
		points = append(points, plotter.XY{X: s.H, Y: number(c.steps[i])}, plotter.XY{X: s.H, Y: number(s)})
	}
	return points
}

// survivalBand is what lies between two stairs, with what is under it to be
// seen.
type survivalBand struct {
	low, high plotter.XYs
	color     color.RGBA
}

// Plot implements plot.Plotter.
func (b survivalBand) Plot(c draw.Canvas, p *plot.Plot) {
	var outline []vg.Point
	for _, v := range b.high {
		outline = append(outline, vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))})
	}
	for _, v := range slices.Backward(b.low) {
		outline = append(outline, vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))})
	}
	c.FillPolygon(color.NRGBA{R: b.color.R, G: b.color.G, B: b.color.B, A: 50}, outline)
}

// censorMarks are short strokes where lives were censored.
type censorMarks struct{ *curve }

// Plot implements plot.Plotter.
func (m censorMarks) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: m.color, Width: 0.5}
	for _, s := range m.steps {
		if s.Censored > 0 {
			x, y := c.X(p.X.Norm(s.H)), c.Y(p.Y.Norm(s.S))
			c.StrokeLine2(style, x, y-2.2, x, y+2.2)
		}
	}
}

const riskHeight = vg.Length(10)

// atRisk is a table below the axis: at each tick, how many of each group were
// seen to live that long.
type atRisk struct {
	curves []curve
	ticks  scale
}

// Plot implements plot.Plotter.
func (r atRisk) Plot(c draw.Canvas, p *plot.Plot) {
	y := c.Min.Y - 4.4*riskHeight
	style := textStyle(textSize - 1)
	style.Color = grey
	c.FillText(style, vg.Point{X: c.Min.X - 4, Y: y + riskHeight}, "machines at risk")
	style.XAlign = text.XCenter
	for i, k := range r.curves {
		style.Color = k.color
		for _, t := range r.ticks.Ticks(p.X.Min, p.X.Max) {
			c.FillText(style, vg.Point{X: c.X(p.X.Norm(t.Value)), Y: y - vg.Length(i)*riskHeight}, fmt.Sprint(k.atRisk(t.Value)))
		}
	}
}

// atRisk counts the machines seen to live at least some hours.
func (c *curve) atRisk(hours float64) int {
	n := 0
	for _, l := range c.Lives {
		if l.Hours >= hours {
			n++
		}
	}
	return n
}
