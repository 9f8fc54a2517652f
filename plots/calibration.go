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
	FittedTo:       {"fitted", draw.GlyphStyle{Color: seen(canvas.Blue), Radius: 2.4, Shape: draw.CircleGlyph{}}},
	HeldOutOfFit:   {"held out of the fit", draw.GlyphStyle{Color: seen(canvas.Vermillion), Radius: 2.4, Shape: canvas.Polygon{Sides: 4}}},
	ComparedWith:   {"inside the fitted range", draw.GlyphStyle{Color: seen(canvas.Green), Radius: 2.4, Shape: canvas.Polygon{Sides: 3, Turn: 90}}},
	OutsideOfRange: {"outside the fitted range", draw.GlyphStyle{Color: canvas.Black, Radius: 3, Shape: draw.CrossGlyph{}}},
}

// Calibration draws what a model predicts against what was measured, with the line
// on which they are equal, and below it how far off the prediction is: in the unit,
// or in per cent of the measured and on logarithmic axes where the measured span a
// factor of more than 50. what is the number, unit its unit.
func Calibration(name, about, what, unit string, points []Prediction) (*canvas.Figure, error) {
	if len(points) == 0 {
		return nil, ErrNothing
	}
	s := scatter{points: points, lo: math.Inf(1), hi: math.Inf(-1)}
	for i, p := range points {
		if !drawable(math.Abs(p.Measured)) || !drawable(math.Abs(p.Predicted)) {
			return nil, fmt.Errorf("plots: point %d: %v measured, %v predicted, want -%g to %g", i, p.Measured, p.Predicted, maxNumber, maxNumber)
		}
		s.lo, s.hi = min(s.lo, p.Measured, p.Predicted), max(s.hi, p.Measured, p.Predicted)
	}
	s.logarithmic = s.lo > 0 && s.hi > 50*s.lo
	in := func(what string) string {
		if unit != "" {
			what += " (" + canvas.Label(unit, 20) + ")"
		}
		return what
	}
	f := &canvas.Figure{Width: 5 * vg.Inch, Height: 6.4 * vg.Inch, Title: []string{canvas.Label(name, 60) + ": measured and predicted",
		canvas.Label(about, canvas.MaxAbout)}, Keys: s.keys()}
	upper, lower := canvas.NewPanel("", "", in("predicted")), canvas.NewPanel("", in("measured "+canvas.Label(what, 40)), in("predicted - measured"))
	if s.logarithmic {
		lower.X.Label.Text += ", logarithmic"
		upper.Y.Label.Text += ", logarithmic"
		lower.Y.Label.Text = "predicted - measured (% of measured)"
	}
	s.against(upper)
	s.off(lower)
	f.Panels = [][]*plot.Plot{{upper}, {lower}}
	return f, nil
}

// scatter is points with the range of both of their numbers.
type scatter struct {
	points      []Prediction
	lo, hi      float64
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

// axis sets one for both numbers.
func (s *scatter) axis(a *plot.Axis) {
	if s.logarithmic {
		canvas.SetLogarithmic(a, s.lo, s.hi)
		return
	}
	x := canvas.FitScale(max(s.hi-min(s.lo, 0), 1e-3*math.Abs(s.hi), 1e-9), 6, canvas.OneTwoFive(1e-10))
	a.Min, a.Max, a.Tick.Marker = x.Down(min(s.lo, 0)), x.Up(s.hi+x.Step/10), x
}

// against draws predicted against measured.
func (s *scatter) against(p *plot.Plot) {
	s.axis(&p.X)
	s.axis(&p.Y)
	p.X.Tick.Label.Color = canvas.Paper // they stand below the lower panel
	p.Add(canvas.Grid(), canvas.Line(plotter.XYs{{X: p.X.Min, Y: p.X.Min}, {X: p.X.Max, Y: p.X.Max}}, objectiveLine))
	for _, point := range s.points {
		p.Add(glyphAt(point.Measured, point.Predicted, kinds[point.Kind].glyph))
	}
}

// off draws the residuals.
func (s *scatter) off(p *plot.Plot) {
	s.axis(&p.X)
	lo, hi := 0.0, 0.0
	p.Add(canvas.Grid(), canvas.Line(plotter.XYs{{X: p.X.Min, Y: 0}, {X: p.X.Max, Y: 0}}, objectiveLine))
	for _, point := range s.points {
		off := point.Predicted - point.Measured
		if s.logarithmic {
			off *= 100 / point.Measured
		}
		lo, hi = min(lo, off), max(hi, off)
		p.Add(glyphAt(point.Measured, off, kinds[point.Kind].glyph))
	}
	y := canvas.FitScale(max(hi-lo, 1e-9), 8, canvas.OneTwoFive(1e-10))
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = y.Down(lo-y.Step/4), y.Up(hi+y.Step/4), y
}
