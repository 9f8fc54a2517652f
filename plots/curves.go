package plots

import (
	"fmt"

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

// Add adds a point.
func (c *Curve) Add(x, y float64) {
	c.X = append(c.X, x)
	c.Y = append(c.Y, y)
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
	figure := &canvas.Figure{Width: vg.Length(len(panels))*3.1*vg.Inch + 0.3*vg.Inch, Height: 3.9 * vg.Inch,
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
		for k, curve := range panels[i].Curves {
			style := curveStyle(k)
			figure.Keys = append(figure.Keys,
				canvas.Key{Text: canvas.Label(panels[i].Title+": "+curve.Name, 70), Line: &style})
		}
	}
	figure.Panels = [][]*plot.Plot{row}
	return figure, nil
}

func (p *CurvePanel) check() error {
	if len(p.Curves) < 1 || len(p.Curves) > MaxCurves {
		return fmt.Errorf("plots: %s: %d curves, want 1 to %d", p.Title, len(p.Curves), MaxCurves)
	}
	for _, curve := range p.Curves {
		if len(curve.X) < 2 || len(curve.X) != len(curve.Y) {
			return fmt.Errorf("plots: %s: %s: %d points with %d values, want as many, at least 2",
				p.Title, curve.Name, len(curve.X), len(curve.Y))
		}
		for i, x := range curve.X {
			if !drawableSigned(x) || !drawableSigned(curve.Y[i]) || p.Logarithmic && x <= 0 {
				return fmt.Errorf("plots: %s: %s: %v at %v, want finite numbers", p.Title, curve.Name, curve.Y[i], x)
			}
		}
	}
	return nil
}

func (p *CurvePanel) draw() *plot.Plot {
	panel := canvas.NewPanel(canvas.Label(p.Title, 60), canvas.Label(p.X, 60), canvas.Label(p.Y, 60))
	across := noExtent()
	up := extent{p.Level, p.Level}
	panel.Add(canvas.Grid())
	for i, curve := range p.Curves {
		points := make(plotter.XYs, len(curve.X))
		for k := range curve.X {
			points[k] = plotter.XY{X: curve.X[k], Y: curve.Y[k]}
		}
		across.include(curve.X...)
		up.include(curve.Y...)
		panel.Add(canvas.Line(points, curveStyle(i)))
	}
	grey := draw.LineStyle{Color: canvas.Grey, Width: 1}
	panel.Add(canvas.Horizontal(p.Level, across.low, across.high, grey))
	scale := canvas.FitScale(max(up.width(), 1e-9), 6, canvas.OneTwoFive(1e-9))
	canvas.SetAxis(&panel.Y, scale.Down(up.low), scale.Up(up.high), scale)
	if p.Logarithmic {
		canvas.SetLogarithmic(&panel.X, across.low, across.high)
	} else {
		canvas.SetAxis(&panel.X, across.low, across.high, canvas.FitScale(across.width(), 6, canvas.OneTwoFive(1e-9)))
	}
	return panel
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
	ahead := 0
	highest := 0.0
	for _, one := range forecasters {
		ahead = max(ahead, len(one.Errors))
		for k, off := range one.Errors {
			if !drawable(off) {
				return nil, fmt.Errorf("plots: %s: error %v over %d intervals, want 0 to %g",
					canvas.Label(one.Name, 60), off, k+1, maxNumber)
			}
			highest = max(highest, off)
		}
	}
	if ahead < 2 {
		return nil, ErrNothing
	}
	panel := canvas.NewPanel("", "intervals ahead", "mean absolute error (instances)")
	figure := &canvas.Figure{
		Width:  6 * vg.Inch,
		Height: 3.6*vg.Inch + canvas.KeyHeight*vg.Length((len(forecasters)+2)/3),
		Title:  []string{canvas.Label(name, 60) + ": forecast errors", canvas.Label(about, 100)},
		Panels: [][]*plot.Plot{{panel}},
	}
	top := max(1.05*highest, 1)
	canvas.SetAxis(&panel.X, 0, float64(ahead), canvas.FitScale(float64(ahead), 12, canvas.OneTwoFive(1)))
	canvas.SetAxis(&panel.Y, 0, top, canvas.FitScale(top, 6, canvas.OneTwoFive(0.1)))
	panel.Add(canvas.Grid())
	for i, one := range forecasters {
		style := forecasterLine(i)
		points := make(plotter.XYs, len(one.Errors))
		for k, off := range one.Errors {
			points[k] = plotter.XY{X: float64(k + 1), Y: off}
		}
		panel.Add(canvas.Line(points, style))
		figure.Keys = append(figure.Keys, canvas.Key{Text: canvas.Label(one.Name, 30), Line: &style})
	}
	return figure, nil
}

// forecasterLine is solid for the first seven, then dashed, then dotted.
func forecasterLine(i int) draw.LineStyle {
	colours := len(canvas.TypeColors)
	dashes := [][]vg.Length{nil, {5, 2}, {1.2, 2}}
	return draw.LineStyle{Color: canvas.TypeColors[i%colours], Width: 1.3, Dashes: dashes[i/colours]}
}
