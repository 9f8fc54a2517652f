package plots

import (
	"fmt"
	"image/color"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lifetimes are how long some machines lived that are compared with others: an
// estimate of their survival, a step at every age at which lifetimes end, ascending.
type Lifetimes struct {
	Name  string
	Steps []SurvivalStep
}

// SurvivalStep is the survival from an age on, until the next step.
type SurvivalStep struct {
	H        float64 // hours lived
	S        float64 // survival probability
	Low      float64 // band around it, 0 to 1
	High     float64
	AtRisk   int // machines seen to live that long
	Lost     int // of them, lost then
	Censored int // of them, not seen any longer
}

// MaxCurves is how many curves can be told apart.
const MaxCurves = 7

// Survival draws for each group the share of machines that live longer than a
// time, its band, marks where lifetimes were censored, and below the axis how many
// were at risk. At most seven groups; more are an error, as are steps that do not
// ascend or are out of range.
func Survival(name, about string, groups []Lifetimes) (*canvas.Figure, error) {
	if len(groups) > MaxCurves {
		return nil, fmt.Errorf("plots: %d groups of lifetimes, want at most %d", len(groups), MaxCurves)
	}
	var curves []curve
	for i, g := range groups {
		if err := g.check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", canvas.Label(g.Name, 60), err)
		}
		if len(g.Steps) > 0 {
			curves = append(curves, curve{g, canvas.TypeColors[i]})
		}
	}
	end := 0.0
	for _, c := range curves {
		end = max(end, c.Steps[len(c.Steps)-1].H)
	}
	if end == 0 {
		return nil, ErrNothing
	}
	foot := riskHeight * vg.Length(len(curves)+1)
	f := &canvas.Figure{Width: 6 * vg.Inch, Height: 3.9*vg.Inch + foot + canvas.KeyHeight*vg.Length(len(curves)), Foot: foot,
		Title:  []string{canvas.Label(name, 60) + ": machine survival", canvas.Label(about, 100)},
		Panels: [][]*plot.Plot{{survivalPanel(curves, end)}}}
	for _, c := range curves {
		f.Keys = append(f.Keys, c.key())
	}
	return f, nil
}

// curve is one group's estimate.
type curve struct {
	Lifetimes
	color color.RGBA
}

// check returns what cannot be drawn.
func (l *Lifetimes) check() error {
	for i, s := range l.Steps {
		if !drawable(s.H) || i > 0 && s.H <= l.Steps[i-1].H {
			return fmt.Errorf("step %d: %v hours, want ascending ones, 0 to %g", i, s.H, maxNumber)
		}
		if !(0 <= s.Low && s.Low <= s.S && s.S <= s.High && s.High <= 1) {
			return fmt.Errorf("step %d: survival %v within %v and %v, want shares from 0 to 1", i, s.S, s.Low, s.High)
		}
	}
	return nil
}

// median returns the first age at which at most half live longer, false if it
// never comes.
func (l *Lifetimes) median() (hours float64, ok bool) {
	for _, s := range l.Steps {
		if s.S <= 0.5 {
			return s.H, true
		}
	}
	return 0, false
}

func (c *curve) key() canvas.Key {
	censored := 0
	for _, s := range c.Steps {
		censored += s.Censored
	}
	median := "none"
	if h, ok := c.median(); ok {
		median = canvas.ShortNumber(h) + " h"
	}
	return canvas.Key{
		Text: fmt.Sprintf("%s: %d lifetimes, %d censored, median %s", canvas.Label(c.Name, 40), c.Steps[0].AtRisk, censored, median),
		Line: &draw.LineStyle{Color: c.color, Width: 1.3}, Fill: canvas.Tint(c.color, 0.2),
	}
}

func survivalPanel(curves []curve, end float64) *plot.Plot {
	p := canvas.NewPanel("", "lifetime (h)", "survival probability")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.02*end, 0, 1.02
	ticks := canvas.FitScale(end, 8, canvas.HourSteps)
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, canvas.FitScale(1, 5, canvas.OneTwoFive(0.1))
	p.Add(canvas.Grid())
	for _, c := range curves {
		p.Add(stairBand(c.stairs(func(s SurvivalStep) float64 { return s.Low }), c.stairs(func(s SurvivalStep) float64 { return s.High }), c.color))
	}
	for _, c := range curves {
		p.Add(canvas.Line(c.stairs(func(s SurvivalStep) float64 { return s.S }), draw.LineStyle{Color: c.color, Width: 1.3}))
		p.Add(censorMarks{&c})
	}
	p.Add(atRisk{curves, ticks})
	return p
}

// stairs are the points of one of a curve's numbers, up to the last lifetime.
func (c *curve) stairs(number func(SurvivalStep) float64) plotter.XYs {
	points, steps := plotter.XYs{{X: 0, Y: 1}}, c.Steps
	if steps[0].H == 0 { // S(0) is the survival probability than no time
		points[0].Y, steps = number(steps[0]), steps[1:]
	}
	for _, s := range steps {
		points = append(points, plotter.XY{X: s.H, Y: points[len(points)-1].Y}, plotter.XY{X: s.H, Y: number(s)})
	}
	return points
}

// stairBand is what lies between two stairs, with what is under it to be
// seen.
func stairBand(low, high plotter.XYs, c color.RGBA) canvas.Area {
	return canvas.Area{Low: low, High: high, Fill: color.NRGBA{R: c.R, G: c.G, B: c.B, A: 50}}
}

// censorMarks are short strokes where lifetimes were censored.
type censorMarks struct{ *curve }

// Plot implements plot.Plotter.
func (m censorMarks) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: m.color, Width: 0.5}
	for _, s := range m.Steps {
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
	ticks  canvas.Scale
}

// Plot implements plot.Plotter.
func (r atRisk) Plot(c draw.Canvas, p *plot.Plot) {
	y := c.Min.Y - 4.4*riskHeight
	style := canvas.TextStyle(canvas.TextSize - 1)
	style.Color = canvas.Grey
	c.FillText(style, vg.Point{X: c.Min.X - 4, Y: y + riskHeight}, "number at risk")
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
	for _, s := range c.Steps {
		if s.H >= hours {
			return s.AtRisk
		}
	}
	return 0
}
