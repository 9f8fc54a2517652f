package curves

import (
	"flag"
	"math"
	"testing"

	"github.com/marigram/marigram/plots/plottest"
)

var update = flag.Bool("update", false, "write the golden image")

func panels() []Panel {
	x := []float64{1, 2, 4, 8, 16}
	return []Panel{
		{Title: "falls", X: "width", Y: "times as fast", Logarithmic: true, Level: 1, Curves: []Curve{{"slow link", x, []float64{1.9, 1.5, 1.3, 1.1, 1.05}}, {"fast link", x, []float64{.97, .98, .99, 1, 1}}}},
		{Title: "grows", X: "share", Y: "bytes", Level: 1, Curves: []Curve{{"4 ranks", []float64{0, 1}, []float64{0, 2}}}},
	}
}

// The golden image was looked at; -update writes it again.
func TestGolden(t *testing.T) {
	f, err := Draw("Formulas", "no measurements", panels())
	if err != nil {
		t.Fatal(err)
	}
	plottest.Golden(t, "curves", f, *update)
}

func TestDrawRefuses(t *testing.T) {
	for _, spoil := range []func(p []Panel) []Panel{
		func([]Panel) []Panel { return nil },
		func(p []Panel) []Panel { p[0].Curves = nil; return p },
		func(p []Panel) []Panel { p[0].Curves[0].X = p[0].Curves[0].X[:1]; return p },
		func(p []Panel) []Panel { p[0].Curves[0].X[0] = 0; return p },
		func(p []Panel) []Panel { p[1].Curves[0].Y[0] = math.NaN(); return p },
		func(p []Panel) []Panel { p[1].Curves[0].Y[0] = math.Inf(1); return p },
		func(p []Panel) []Panel { p[1].Curves = make([]Curve, Most+1); return p },
	} {
		if _, err := Draw("x", "y", spoil(panels())); err == nil {
			t.Error("curves were drawn that are not whole")
		}
	}
}
