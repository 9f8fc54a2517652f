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
