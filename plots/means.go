package plots

import (
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marks are a policy's runs and their mean.
type marks struct {
	points []plot.Plotter
	mean   plotter.XY
	style  *draw.GlyphStyle
	text   string
	fair   bool // knows no future, meets the objective, and its mean is of all its runs
}

// means draws the mean points of a panel, above all else, and writes each
// one's text where it covers least.
type means struct {
	list  []marks
	front plotter.XYs
}

// Plot implements plot.Plotter.
func (m means) Plot(c draw.Canvas, p *plot.Plot) {
	place := func(v plotter.XY) vg.Point { return vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))} }
	r := room{canvas: c, points: along(m.front, place), objective: c.X(p.X.Norm(100))}
	for _, mark := range m.list {
		r.taken = append(r.taken, around(place(mark.mean), 5))
		for _, s := range mark.points {
			for _, v := range s.(*plotter.Scatter).XYs {
				r.points = append(r.points, place(v))
			}
		}
	}
	style := canvas.TextStyle(canvas.TextSize)
	for _, mark := range m.list {
		at := place(mark.mean)
		box := r.best(at, vg.Point{X: style.Width(mark.text), Y: canvas.TextSize})
		r.take(at, box)
		lead(c, at, 5, box)
		c.FillPolygon(canvas.Veil, []vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
		c.FillText(style, vg.Point{X: box.Min.X, Y: box.Min.Y + 1.5}, mark.text)
	}
	for i, mark := range m.list {
		if mark.style != nil {
			style := *mark.style
			style.Radius += 2.5 * vg.Length(m.above(i, place))
			c.DrawGlyph(style, place(mark.mean))
		}
	}
}

// above counts the means that are drawn on the i-th one and would hide it: it
// is drawn larger by a rim for each.
func (m means) above(i int, place func(plotter.XY) vg.Point) int {
	n := 0
	for _, later := range m.list[i+1:] {
		if later.style != nil && overlap(around(place(later.mean), 1.5), around(place(m.list[i].mean), 1.5)) {
			n++
		}
	}
	return n
}
