package plots

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// frontLine lies below the points.
var frontLine = draw.LineStyle{Color: canvas.Tint(canvas.Grey, 0.35), Width: 2.5}

// front is the Pareto front of the means: stairs down and to the right through those
// than which no other one is both sooner and cheaper. One mean alone has none.
func front(list []marks) plotter.XYs {
	var best plotter.XYs
	for _, m := range list {
		if m.fair {
			best = append(best, m.mean)
		}
	}
	slices.SortFunc(best, func(a, b plotter.XY) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	var stairs plotter.XYs
	for _, m := range best {
		if n := len(stairs); n == 0 {
			stairs = append(stairs, m)
		} else if m.Y < stairs[n-1].Y {
			stairs = append(stairs, plotter.XY{X: m.X, Y: stairs[n-1].Y}, m)
		}
	}
	if len(stairs) < 2 {
		return nil
	}
	return stairs
}
