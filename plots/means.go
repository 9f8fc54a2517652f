package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// means draws the mean points of a panel, above all else, and writes each
// one's text where it covers least.
type means []marks

// Plot implements plot.Plotter.
func (m means) Plot(c draw.Canvas, p *plot.Plot) {
	place := func(v plotter.XY) vg.Point { return vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))} }
	var taken []vg.Rectangle // by means and texts
	var points []vg.Point    // of single runs
	for _, mark := range m {
		taken = append(taken, around(place(mark.mean), 5))
		for _, s := range mark.points {
			for _, v := range s.(*plotter.Scatter).XYs {
				points = append(points, place(v))
			}
		}
	}
	style := textStyle(textSize)
	objective := c.X(p.X.Norm(100))
	for _, mark := range m {
		at, size := place(mark.mean), vg.Point{X: style.Width(mark.text), Y: textSize}
		box := best(c, at, size, taken, points, objective)
		taken = append(taken, box)
		lead(c, at, box)
		c.FillPolygon(veil, []vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
		c.FillText(style, vg.Point{X: box.Min.X, Y: box.Min.Y + 1.5}, mark.text)
	}
	for i, mark := range m {
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
	for _, later := range m[i+1:] {
		if later.style != nil && overlap(around(place(later.mean), 1.5), around(place(m[i].mean), 1.5)) {
			n++
		}
	}
	return n
}

// lead draws a line from a mean to its text unless they stand together.
func lead(c draw.Canvas, from vg.Point, box vg.Rectangle) {
	if to := nearest(from, box); distance(from, to) > 8 {
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.6}, from.X, from.Y, to.X, to.Y)
	}
}

// nearest is the point of a box nearest to another one.
func nearest(from vg.Point, box vg.Rectangle) vg.Point {
	return vg.Point{X: min(max(from.X, box.Min.X), box.Max.X), Y: min(max(from.Y, box.Min.Y), box.Max.Y)}
}

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)))
}

// best is the place for a text of some size beside at that covers least: first
// no mean or other text, then few runs and not the objective's line.
func best(c draw.Canvas, at, size vg.Point, taken []vg.Rectangle, points []vg.Point, objective vg.Length) vg.Rectangle {
	var choice vg.Rectangle
	least := -1
	for i, box := range places(at, size) {
		cost := i / 8 // how far away it is
		if box.Min.X < c.Min.X || box.Max.X > c.Max.X || box.Min.Y < c.Min.Y || box.Max.Y > c.Max.Y {
			cost += 1_000_000
		}
		for _, t := range taken {
			if overlap(box, t) {
				cost += 10_000
			}
		}
		if box.Min.X < objective && objective < box.Max.X {
			cost += 5
		}
		for _, p := range points {
			if overlap(box, around(p, 1)) {
				cost += 2
			}
		}
		if least < 0 || cost < least {
			choice, least = box, cost
		}
	}
	return choice
}

// places are where a text may stand: to the right and left of a point, above
// and below it, near first.
func places(at, size vg.Point) []vg.Rectangle {
	var boxes []vg.Rectangle
	for _, gap := range []vg.Length{7, 16, 28, 44} {
		for _, d := range []vg.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}} {
			mid := vg.Point{X: at.X + d.X*(gap+size.X/2), Y: at.Y + d.Y*(gap+size.Y/2)}
			low := vg.Point{X: mid.X - size.X/2, Y: mid.Y - size.Y/2}
			boxes = append(boxes, vg.Rectangle{Min: low, Max: low.Add(size)})
		}
	}
	return boxes
}

func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
