package plots

import (
	"fmt"
	"image/color"
	"math"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Prediction is a measured number and what a model says of it.
type Prediction struct {
	Measured, Predicted float64 // -1e12 to 1e12
	Kind                PredictionKind
}

// PredictionKind says how a measured number stands to the model.
type PredictionKind int

// The kinds of predictions.
const (
	FittedTo       PredictionKind = iota // the model was fitted to it
	HeldOutOfFit                         // it was held out of the fit
	ComparedWith                         // it is from another profile
	OutsideOfRange                       // it lies outside of what the model was fitted on
)

var kinds = []struct {
	text  string
	glyph draw.GlyphStyle
}{
	FittedTo: {"fitted", draw.GlyphStyle{Color: seen(canvas.Blue), Radius: 2.4, Shape: draw.CircleGlyph{}}},
	HeldOutOfFit: {"held out of the fit",
		draw.GlyphStyle{Color: seen(canvas.Vermillion), Radius: 2.4, Shape: canvas.Polygon{Sides: 4}}},
	ComparedWith: {"inside the fitted range",
		draw.GlyphStyle{Color: seen(canvas.Green), Radius: 2.4, Shape: canvas.Polygon{Sides: 3, Turn: 90}}},
	OutsideOfRange: {"outside the fitted range",
		draw.GlyphStyle{Color: canvas.Black, Radius: 3, Shape: draw.CrossGlyph{}}},
}

// Calibration draws what a model predicts against what was measured, with the line
// on which they are equal, and below it how far off the prediction is: in the unit,
// or in per cent of the measured and on logarithmic axes where the measured span a
// factor of more than 50. what is the number, unit its unit.
func Calibration(name, about, what, unit string, points []Prediction) (*canvas.Figure, error) {
	if len(points) == 0 {
		return nil, ErrNothing
	}
	both := scatter{points: points, extent: noExtent()}
	for i, p := range points {
		if !drawableSigned(p.Measured) || !drawableSigned(p.Predicted) {
			return nil, fmt.Errorf("plots: point %d: %v measured, %v predicted, want -%[4]g to %[4]g",
				i, p.Measured, p.Predicted, maxNumber)
		}
		both.include(p.Measured, p.Predicted)
	}
	both.logarithmic = both.low > 0 && both.high > 50*both.low
	in := func(what string) string {
		if unit != "" {
			what += " (" + canvas.Label(unit, 20) + ")"
		}
		return what
	}
	upper := canvas.NewPanel("", "", in("predicted"))
	lower := canvas.NewPanel("", in("measured "+canvas.Label(what, 40)), in("predicted - measured"))
	if both.logarithmic {
		lower.X.Label.Text += ", logarithmic"
		upper.Y.Label.Text += ", logarithmic"
		lower.Y.Label.Text = "predicted - measured (% of measured)"
	}
	both.against(upper)
	both.off(lower)
	return &canvas.Figure{
		Width:  5 * vg.Inch,
		Height: 6.4 * vg.Inch,
		Title:  []string{canvas.Label(name, 60) + ": measured and predicted", canvas.Label(about, canvas.MaxAbout)},
		Keys:   both.keys(),
		Panels: [][]*plot.Plot{{upper}, {lower}},
	}, nil
}

// scatter is points with the range of both of their numbers.
type scatter struct {
	points []Prediction
	extent
	logarithmic bool
}

// seen lets points below be seen.
func seen(c color.RGBA) color.NRGBA { return color.NRGBA{R: c.R, G: c.G, B: c.B, A: 170} }

func (s *scatter) keys() []canvas.Key {
	counts := make([]int, len(kinds))
	for _, p := range s.points {
		counts[p.Kind]++
	}
	var keys []canvas.Key
	for i, kind := range kinds {
		if counts[i] > 0 {
			keys = append(keys, canvas.Key{Text: fmt.Sprintf("%s, %d", kind.text, counts[i]), Glyph: &kind.glyph})
		}
	}
	return append(keys, canvas.Key{Text: "equal", Line: &objectiveLine})
}

// setAxis sets an axis for both numbers.
func (s *scatter) setAxis(axis *plot.Axis) {
	if s.logarithmic {
		canvas.SetLogarithmic(axis, s.low, s.high)
		return
	}
	low := min(s.low, 0)
	scale := canvas.FitScale(max(s.high-low, 1e-3*math.Abs(s.high), 1e-9), 6, canvas.OneTwoFive(1e-10))
	canvas.SetAxis(axis, scale.Down(low), scale.Up(s.high+scale.Step/10), scale)
}

// against draws predicted against measured.
func (s *scatter) against(panel *plot.Plot) {
	s.setAxis(&panel.X)
	s.setAxis(&panel.Y)
	panel.X.Tick.Label.Color = canvas.Paper // they stand below the lower panel
	panel.Add(canvas.Grid(), canvas.Line(plotter.XYs{{X: panel.X.Min, Y: panel.X.Min},
		{X: panel.X.Max, Y: panel.X.Max}}, objectiveLine))
	for _, point := range s.points {
		panel.Add(glyphAt(point.Measured, point.Predicted, kinds[point.Kind].glyph))
	}
}

// off draws the residuals.
func (s *scatter) off(panel *plot.Plot) {
	s.setAxis(&panel.X)
	var offs extent // 0 belongs to it
	panel.Add(canvas.Grid(), canvas.Horizontal(0, panel.X.Min, panel.X.Max, objectiveLine))
	for _, point := range s.points {
		residual := point.Predicted - point.Measured
		if s.logarithmic {
			residual *= 100 / point.Measured
		}
		offs.include(residual)
		panel.Add(glyphAt(point.Measured, residual, kinds[point.Kind].glyph))
	}
	scale := canvas.FitScale(max(offs.width(), 1e-9), 8, canvas.OneTwoFive(1e-10))
	canvas.SetAxis(&panel.Y, scale.Down(offs.low-scale.Step/4), scale.Up(offs.high+scale.Step/4), scale)
}
