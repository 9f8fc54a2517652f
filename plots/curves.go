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
