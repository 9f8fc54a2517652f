package plots

import (
	"fmt"
	"math"
	"slices"

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

// Means draws means over a parameter, a line with intervals a policy. Numbers are finite, up to 1e12 either way.
// ErrNothing without points.
func Means(title []string, x, y string, all []MeansOf) (*canvas.Figure, error) {
	panel := canvas.NewPanel("", canvas.Label(x, 60), canvas.Label(y, 60))
	panel.Add(canvas.Grid())
	figure := &canvas.Figure{Width: 5.6 * vg.Inch, Height: 3.9 * vg.Inch, Panels: [][]*plot.Plot{{panel}}}
	for _, line := range title {
		figure.Title = append(figure.Title, canvas.Label(line, canvas.MaxAbout))
	}
	across := noExtent()
	up := noExtent()
	styles := canvas.Apart(slices.Collect(each(all, func(m MeansOf) string { return m.Policy })))
	for _, means := range all {
		result := PolicyResult{Policy: means.Policy, styles: styles}
		style := result.line()
		thin := draw.LineStyle{Color: style.Color, Width: 0.8}
		var points plotter.XYs
		for _, mean := range means.Points {
			if !drawableSigned(mean.X) || !drawableSigned(mean.Mean) || !drawableSigned(mean.Low) ||
				!drawableSigned(mean.High) {
				return nil, fmt.Errorf("plots: %s: %v, from %v to %v, at %v: expected finite numbers",
					means.Policy, mean.Mean, mean.Low, mean.High, mean.X)
			}
			points = append(points, plotter.XY{X: mean.X, Y: mean.Mean})
			across.include(mean.X)
			up.include(mean.Low, mean.Mean, mean.High)
			if mean.High > mean.Low {
				panel.Add(canvas.Vertical(mean.X, mean.Low, mean.High, thin))
			}
		}
		panel.Add(canvas.Line(points, style), &plotter.Scatter{XYs: points, GlyphStyle: *result.point(2.7)})
		figure.Keys = append(figure.Keys, result.key())
	}
	if across.low > across.high {
		return nil, ErrNothing
	}
	edge := max(0.03*across.width(), 1e-9*math.Abs(across.high), 1e-9)
	ticks := canvas.FitScale(across.width()+2*edge, 8, canvas.OneTwoFive(1e-9))
	canvas.SetAxis(&panel.X, across.low-edge, across.high+edge, ticks)
	scale := canvas.FitScale(max(up.width(), 1e-9), 6, canvas.OneTwoFive(1e-9))
	low := scale.Down(up.low)
	canvas.SetAxis(&panel.Y, low, max(scale.Up(up.high), low+scale.Step), scale)
	return figure, nil
}
