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
	for i, group := range groups {
		if err := group.check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", canvas.Label(group.Name, 60), err)
		}
		if len(group.Steps) > 0 {
			curves = append(curves, curve{group, canvas.TypeColors[i]})
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
	figure := &canvas.Figure{
		Width:  6 * vg.Inch,
		Height: 3.9*vg.Inch + foot + canvas.KeyHeight*vg.Length(len(curves)),
		Foot:   foot,
		Title:  []string{canvas.Label(name, 60) + ": machine survival", canvas.Label(about, 100)},
		Panels: [][]*plot.Plot{{survivalPanel(curves, end)}},
	}
	for _, c := range curves {
		figure.Keys = append(figure.Keys, c.key())
	}
	return figure, nil
}

// curve is one group's estimate.
type curve struct {
	Lifetimes
	color color.RGBA
}

// check returns what cannot be drawn.
func (l *Lifetimes) check() error {
	for i, step := range l.Steps {
		if !drawable(step.H) || i > 0 && step.H <= l.Steps[i-1].H {
			return fmt.Errorf("step %d: %v hours, want ascending ones, 0 to %g", i, step.H, maxNumber)
		}
		if !(0 <= step.Low && step.Low <= step.S && step.S <= step.High && step.High <= 1) {
			return fmt.Errorf("step %d: survival %v within %v and %v, want shares from 0 to 1", i, step.S, step.Low,
				step.High)
		}
	}
	return nil
}

// median returns the first age at which at most half live longer, false if it
// never comes.
func (l *Lifetimes) median() (age float64, ok bool) {
	for _, step := range l.Steps {
		if step.S <= 0.5 {
			return step.H, true
		}
	}
	return 0, false
}

func (c *curve) key() canvas.Key {
	censored := 0
	for _, step := range c.Steps {
		censored += step.Censored
	}
	median := "none"
	if hours, ok := c.median(); ok {
		median = canvas.ShortNumber(hours) + " h"
	}
	name := canvas.Label(c.Name, 40)
	return canvas.Key{
		Text: fmt.Sprintf("%s: %d lifetimes, %d censored, median %s", name, c.Steps[0].AtRisk, censored, median),
		Line: &draw.LineStyle{Color: c.color, Width: 1.3},
		Fill: canvas.Tint(c.color, 0.2),
	}
}

func survivalPanel(curves []curve, end float64) *plot.Plot {
	panel := canvas.NewPanel("", "lifetime (h)", "survival probability")
	ticks := canvas.FitScale(end, 8, canvas.HourSteps)
	canvas.SetAxis(&panel.X, 0, 1.02*end, ticks)
	canvas.SetAxis(&panel.Y, 0, 1.02, canvas.FitScale(1, 5, canvas.OneTwoFive(0.1)))
	panel.Add(canvas.Grid())
	for _, c := range curves {
		low := c.stairs(func(s SurvivalStep) float64 { return s.Low })
		high := c.stairs(func(s SurvivalStep) float64 { return s.High })
		panel.Add(stairBand(low, high, c.color))
	}
	for _, c := range curves {
		panel.Add(canvas.Line(c.stairs(func(s SurvivalStep) float64 { return s.S }),
			draw.LineStyle{Color: c.color, Width: 1.3}))
		panel.Add(censorMarks{&c})
	}
	panel.Add(atRisk{curves, ticks})
	return panel
}

// stairs are the points of one of a curve's numbers, up to the last lifetime.
func (c *curve) stairs(number func(SurvivalStep) float64) plotter.XYs {
	points := plotter.XYs{{X: 0, Y: 1}}
	steps := c.Steps
	if steps[0].H == 0 { // some were lost at once
		points[0].Y = number(steps[0])
		steps = steps[1:]
	}
	for _, step := range steps {
		points = append(points, plotter.XY{X: step.H, Y: points[len(points)-1].Y},
			plotter.XY{X: step.H, Y: number(step)})
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
	for _, step := range m.Steps {
		if step.Censored > 0 {
			x := c.X(p.X.Norm(step.H))
			y := c.Y(p.Y.Norm(step.S))
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
	for i, curve := range r.curves {
		style.Color = curve.color
		for _, tick := range r.ticks.Ticks(p.X.Min, p.X.Max) {
			at := vg.Point{X: c.X(p.X.Norm(tick.Value)), Y: y - vg.Length(i)*riskHeight}
			c.FillText(style, at, fmt.Sprint(curve.atRisk(tick.Value)))
		}
	}
}

// atRisk counts the machines seen to live at least some hours.
func (c *curve) atRisk(hours float64) int {
	for _, step := range c.Steps {
		if step.H >= hours {
			return step.AtRisk
		}
	}
	return 0
}
