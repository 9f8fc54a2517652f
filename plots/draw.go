package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line is a plotter of points that were checked to be finite.
func line(points plotter.XYs, style draw.LineStyle) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: style}
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	style := draw.LineStyle{Color: lightGrey, Width: 0.5}
	g.Vertical, g.Horizontal = style, style
	return g
}

// aslant turns the labels of an x axis, and keeps them off it by ticks that are
// not seen.
func aslant(x *plot.Axis) {
	x.Tick.Length, x.Tick.LineStyle.Color = 7, lightest
	x.Tick.Label.Rotation = math.Pi / 4
	x.Tick.Label.XAlign, x.Tick.Label.YAlign = text.XRight, text.YCenter
}

// note is text in the middle of a panel that has nothing to show.
type note struct {
	x, y float64
	text string
}

// Plot implements plot.Plotter.
func (n note) Plot(c draw.Canvas, p *plot.Plot) {
	style := textStyle(textSize)
	style.Color, style.XAlign, style.YAlign = grey, text.XCenter, text.YCenter
	c.FillText(style, vg.Point{X: c.X(p.X.Norm(n.x)), Y: c.Y(p.Y.Norm(n.y))}, n.text)
}

// area is what lies between two step lines over the same time, with an edge on
// the upper one, if it has a width.
type area struct {
	low, high plotter.XYs
	fill      color.Color
	edge      draw.LineStyle
}

// Plot implements plot.Plotter.
func (a area) Plot(c draw.Canvas, p *plot.Plot) {
	var outline []vg.Point
	for _, v := range a.high {
		outline = append(outline, vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))})
	}
	edge := slices.Clone(outline)
	for _, v := range slices.Backward(a.low) {
		outline = append(outline, vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))})
	}
	c.FillPolygon(a.fill, outline)
	if a.edge.Width > 0 {
		c.StrokeLines(a.edge, edge)
	}
}

// band is a part of a panel over all its height.
type band struct {
	from, to float64
	fill     color.Color
}

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	x0, x1 := c.X(p.X.Norm(b.from)), c.X(p.X.Norm(b.to))
	c.FillPolygon(b.fill, []vg.Point{{X: x0, Y: c.Min.Y}, {X: x1, Y: c.Min.Y}, {X: x1, Y: c.Max.Y}, {X: x0, Y: c.Max.Y}})
}
