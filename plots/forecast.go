package plots

import (
	"fmt"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ForecastError is how far off one forecaster was: its error over the first
// interval, the first two and so on, in instances.
type ForecastError struct {
	Name   string
	Errors []float64 // 0 or more, finite
}

// MaxForecasters is how many can be told apart.
const MaxForecasters = 3 * 7

// ForecastErrors draws the errors of forecasters of one trace by how many
// intervals they look ahead. The key is in the order given. Errors over fewer than
// two intervals are ErrNothing; more than MaxForecasters, and numbers that cannot be drawn, are errors.
func ForecastErrors(name, about string, forecasters []ForecastError) (*canvas.Figure, error) {
	if len(forecasters) > MaxForecasters {
		return nil, fmt.Errorf("plots: %d forecasters, want at most %d", len(forecasters), MaxForecasters)
	}
	ahead, highest := 0, 0.0
	for _, f := range forecasters {
		ahead = max(ahead, len(f.Errors))
		for k, v := range f.Errors {
			if !drawable(v) {
				return nil, fmt.Errorf("plots: %s: error %v over %d intervals, want 0 to %g", canvas.Label(f.Name, 60), v, k+1, maxNumber)
			}
			highest = max(highest, v)
		}
	}
	if ahead < 2 {
		return nil, ErrNothing
	}
	f := &canvas.Figure{Width: 6 * vg.Inch, Height: 3.6*vg.Inch + canvas.KeyHeight*vg.Length((len(forecasters)+2)/3),
		Title: []string{canvas.Label(name, 60) + ": forecast errors", canvas.Label(about, 100)}}
	p := canvas.NewPanel("", "intervals ahead", "mean absolute error (instances)")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(ahead), 0, max(1.05*highest, 1)
	p.X.Tick.Marker, p.Y.Tick.Marker = canvas.FitScale(p.X.Max, 12, canvas.OneTwoFive(1)), canvas.FitScale(p.Y.Max, 6, canvas.OneTwoFive(0.1))
	p.Add(canvas.Grid())
	for i, one := range forecasters {
		style := forecasterLine(i)
		points := make(plotter.XYs, len(one.Errors))
		for k, v := range one.Errors {
			points[k] = plotter.XY{X: float64(k + 1), Y: v}
		}
		p.Add(canvas.Line(points, style))
		f.Keys = append(f.Keys, canvas.Key{Text: canvas.Label(one.Name, 30), Line: &style})
	}
	f.Panels = [][]*plot.Plot{{p}}
	return f, nil
}

// forecasterLine is solid for the first seven, then dashed, then dotted.
func forecasterLine(i int) draw.LineStyle {
	n := len(canvas.TypeColors)
	dashes := [][]vg.Length{nil, {5, 2}, {1.2, 2}}
	return draw.LineStyle{Color: canvas.TypeColors[i%n], Width: 1.3, Dashes: dashes[i/n]}
}
