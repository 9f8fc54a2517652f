package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/plots/canvas"
)

// MeansOf is the means of a number over the runs of a policy, by values of a parameter.
type MeansOf struct {
	Policy string
	Points []MeanAt // ascending by X
}

// MeanAt is the mean at one value, with its 95 % interval; one of no width is not drawn.
type MeanAt struct{ X, Mean, Low, High float64 }

// Means draws means over a parameter, a line with intervals a policy. Numbers are finite, up to 1e12 either way. ErrNothing without points.
func Means(title []string, x, y string, all []MeansOf) (*canvas.Figure, error) {
	p := canvas.NewPanel("", canvas.Label(x, 60), canvas.Label(y, 60))
	p.Add(canvas.Grid())
	f := &canvas.Figure{Width: 5.6 * vg.Inch, Height: 3.9 * vg.Inch, Panels: [][]*plot.Plot{{p}}}
	for _, line := range title {
		f.Title = append(f.Title, canvas.Label(line, canvas.MaxAbout))
	}
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, of := range all {
		result := PolicyResult{Policy: of.Policy}
		style, points := result.line(), plotter.XYs{}
		for _, at := range of.Points {
			if !drawable(math.Abs(at.X)) || !drawable(math.Abs(at.Mean)) || !drawable(math.Abs(at.Low)) || !drawable(math.Abs(at.High)) {
				return nil, fmt.Errorf("plots: %s: %v, from %v to %v, at %v: expected finite numbers", of.Policy, at.Mean, at.Low, at.High, at.X)
			}
			points = append(points, plotter.XY{X: at.X, Y: at.Mean})
			left, right, low, high = min(left, at.X), max(right, at.X), min(low, at.Low, at.Mean), max(high, at.High, at.Mean)
			if at.High > at.Low {
				p.Add(canvas.Line(plotter.XYs{{X: at.X, Y: at.Low}, {X: at.X, Y: at.High}}, draw.LineStyle{Color: style.Color, Width: 0.8}))
			}
		}
		p.Add(canvas.Line(points, style), &plotter.Scatter{XYs: points, GlyphStyle: *result.point(2.7)})
		f.Keys = append(f.Keys, result.key())
	}
	if left > right {
		return nil, ErrNothing
	}
	edge := max(0.03*(right-left), 1e-9*math.Abs(right), 1e-9)
	across, up := canvas.FitScale(right-left+2*edge, 8, canvas.OneTwoFive(1e-9)), canvas.FitScale(max(high-low, 1e-9), 6, canvas.OneTwoFive(1e-9))
	p.X.Min, p.X.Max, p.X.Tick.Marker = left-edge, right+edge, across
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = up.Down(low), max(up.Up(high), up.Down(low)+up.Step), up
	return f, nil
}
