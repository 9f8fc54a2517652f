package plots

import (
	"math"
	"testing"

	"github.com/marigram/marigram/plots/canvas"
)

func curvePanels() []CurvePanel {
	x := []float64{1, 2, 4, 8, 16}
	return []CurvePanel{
		{Title: "falls", X: "width", Y: "times as fast", Logarithmic: true, Level: 1, Curves: []Curve{{"slow link", x, []float64{1.9, 1.5, 1.3, 1.1, 1.05}},
			{"fast link", x, []float64{.97, .98, .99, 1, 1}}}},
		{Title: "grows", X: "share", Y: "bytes", Level: 1, Curves: []Curve{{"4 ranks", []float64{0, 1}, []float64{0, 2}}}},
	}
}

func curvesFigure(t *testing.T) *canvas.Figure {
	f, err := Curves("Formulas", "no measurements", curvePanels())
	return must(t, f, err)
}

func TestCurvesRefuses(t *testing.T) {
	for _, spoil := range []func(p []CurvePanel) []CurvePanel{
		func([]CurvePanel) []CurvePanel { return nil },
		func(p []CurvePanel) []CurvePanel { p[0].Curves = nil; return p },
		func(p []CurvePanel) []CurvePanel { p[0].Curves[0].X = p[0].Curves[0].X[:1]; return p },
		func(p []CurvePanel) []CurvePanel { p[0].Curves[0].X[0] = 0; return p },
		func(p []CurvePanel) []CurvePanel { p[1].Curves[0].Y[0] = math.NaN(); return p },
		func(p []CurvePanel) []CurvePanel { p[1].Curves[0].Y[0] = math.Inf(1); return p },
		func(p []CurvePanel) []CurvePanel { p[1].Curves = make([]Curve, MaxCurves+1); return p },
	} {
		if _, err := Curves("x", "y", spoil(curvePanels())); err == nil {
			t.Error("curves were drawn that are not whole")
		}
	}
}
