package plots

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one line.
type Curve struct {
	Name string // in the key
	X, Y []float64
}

// CurvePanel is curves over one quantity.
type CurvePanel struct {
	Title, X, Y string
	Logarithmic bool // X
	Level       float64
	Curves      []Curve // 1 to 7 of them, of at least two points each
}

// Curves draws panels side by side, each with a grey line at its Level, where nothing is won
// or lost. The keys name the curves of all panels, each panel with colours from the first.
// Errors say what cannot be drawn.
func Curves(name, about string, panels []CurvePanel) (*canvas.Figure, error) {
	f := &canvas.Figure{Width: vg.Length(len(panels))*3.1*vg.Inch + 0.3*vg.Inch, Height: 3.9 * vg.Inch,
		Title: []string{canvas.Label(name, 90), canvas.Label(about, canvas.MaxAbout)}}
	if len(panels) == 0 {
		return nil, fmt.Errorf("plots: no panels")
	}
	row := make([]*plot.Plot, len(panels))
	for i := range panels {
		if err := panels[i].check(); err != nil {
			return nil, err
		}
		row[i] = panels[i].draw()
		for k, c := range panels[i].Curves {
			style := curveStyle(k)
			f.Keys = append(f.Keys, canvas.Key{Text: canvas.Label(panels[i].Title+": "+c.Name, 70), Line: &style})
		}
	}
	f.Panels = [][]*plot.Plot{row}
	return f, nil
}

func (p *CurvePanel) check() error {
	if len(p.Curves) < 1 || len(p.Curves) > MaxCurves {
		return fmt.Errorf("plots: %s: %d curves, want 1 to %d", p.Title, len(p.Curves), MaxCurves)
	}
	for _, c := range p.Curves {
		if len(c.X) < 2 || len(c.X) != len(c.Y) {
			return fmt.Errorf("plots: %s: %s: %d points with %d values, want as many, at least 2", p.Title, c.Name, len(c.X), len(c.Y))
		}
		for i, x := range c.X {
			if !drawable(math.Abs(x)) || !drawable(math.Abs(c.Y[i])) || p.Logarithmic && x <= 0 {
				return fmt.Errorf("plots: %s: %s: %v at %v, want finite numbers", p.Title, c.Name, c.Y[i], x)
			}
		}
	}
	return nil
}

func (p *CurvePanel) draw() *plot.Plot {
	out := canvas.NewPanel(canvas.Label(p.Title, 60), canvas.Label(p.X, 60), canvas.Label(p.Y, 60))
	left, right, low, high := math.Inf(1), math.Inf(-1), p.Level, p.Level
	out.Add(canvas.Grid())
	for i, c := range p.Curves {
		points := make(plotter.XYs, len(c.X))
		for k := range c.X {
			points[k] = plotter.XY{X: c.X[k], Y: c.Y[k]}
			left, right, low, high = min(left, c.X[k]), max(right, c.X[k]), min(low, c.Y[k]), max(high, c.Y[k])
		}
		out.Add(canvas.Line(points, curveStyle(i)))
	}
	out.Add(canvas.Line(plotter.XYs{{X: left, Y: p.Level}, {X: right, Y: p.Level}}, draw.LineStyle{Color: canvas.Grey, Width: 1}))
	scale := canvas.FitScale(max(high-low, 1e-9), 6, canvas.OneTwoFive(1e-9))
	out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = left, right, scale.Down(low), scale.Up(high)
	out.Y.Tick.Marker = scale
	if p.Logarithmic {
		canvas.SetLogarithmic(&out.X, left, right)
	} else {
		out.X.Tick.Marker = canvas.FitScale(right-left, 6, canvas.OneTwoFive(1e-9))
	}
	return out
}

func curveStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: canvas.TypeColor(i), Width: 1.4}
}

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
