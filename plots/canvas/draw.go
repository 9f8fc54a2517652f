package canvas

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

// Line is a plotter of points that were checked to be finite.
func Line(points plotter.XYs, style draw.LineStyle) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: style}
}

// Grid is thin lines at the ticks of both axes.
func Grid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: LightGrey, Width: 0.5}
	grid.Horizontal = grid.Vertical
	return grid
}

// Slant turns the labels of an x axis, and keeps them off it by ticks that are
// not seen.
func Slant(x *plot.Axis) {
	x.Tick.Length = 7
	x.Tick.LineStyle.Color = Paper
	TurnLabels(x, math.Pi/4)
}

// TurnLabels turns the labels of an x axis, in radians, and lets them end at their ticks.
func TurnLabels(x *plot.Axis, angle float64) {
	x.Tick.Label.Rotation = angle
	x.Tick.Label.XAlign = text.XRight
	x.Tick.Label.YAlign = text.YCenter
}

// Placer says where values of a plot are on its canvas.
func Placer(c draw.Canvas, p *plot.Plot) func(plotter.XY) vg.Point {
	return func(v plotter.XY) vg.Point { return vg.Point{X: c.X(p.X.Norm(v.X)), Y: c.Y(p.Y.Norm(v.Y))} }
}

// Note is text in the middle of a panel that has nothing to show.
type Note struct {
	X, Y float64 // in units of the axes
	Text string
}

// Plot implements plot.Plotter.
func (n Note) Plot(c draw.Canvas, p *plot.Plot) {
	style := TextStyle(TextSize)
	style.Color = Grey
	style.XAlign = text.XCenter
	style.YAlign = text.YCenter
	c.FillText(style, vg.Point{X: c.X(p.X.Norm(n.X)), Y: c.Y(p.Y.Norm(n.Y))}, n.Text)
}

// Area is what lies between two step lines over the same time, with an edge on
// the upper one, if it has a width.
type Area struct {
	Low, High plotter.XYs // of the same time
	Fill      color.Color
	Edge      draw.LineStyle // along High; none where its width is 0
}

// Plot implements plot.Plotter.
func (a Area) Plot(c draw.Canvas, p *plot.Plot) {
	var outline []vg.Point
	place := Placer(c, p)
	for _, point := range a.High {
		outline = append(outline, place(point))
	}
	edge := slices.Clone(outline)
	for _, point := range slices.Backward(a.Low) {
		outline = append(outline, place(point))
	}
	c.FillPolygon(a.Fill, outline)
	if a.Edge.Width > 0 {
		c.StrokeLines(a.Edge, edge)
	}
}

// Band is a part of a panel over all its height.
type Band struct {
	From, To float64 // in units of the x axis
	Fill     color.Color
}

// Plot implements plot.Plotter.
func (b Band) Plot(c draw.Canvas, p *plot.Plot) {
	c.FillPolygon(b.Fill, Box(c.X(p.X.Norm(b.From)), c.Min.Y, c.X(p.X.Norm(b.To)), c.Max.Y))
}

// Box is the corners of a rectangle.
func Box(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// FillBox fills a rectangle.
func FillBox(c draw.Canvas, fill color.Color, r vg.Rectangle) {
	c.FillPolygon(fill, append(Box(r.Min.X, r.Min.Y, r.Max.X, r.Max.Y), r.Min))
}

// Vertical is a line at x, upright from low to high.
func Vertical(x, low, high float64, style draw.LineStyle) *plotter.Line {
	return Line(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}}, style)
}

// Horizontal is a line at y, across from left to right.
func Horizontal(y, left, right float64, style draw.LineStyle) *plotter.Line {
	return Line(plotter.XYs{{X: left, Y: y}, {X: right, Y: y}}, style)
}

// SetAxis sets the range of an axis, and its ticks.
func SetAxis(axis *plot.Axis, low, high float64, ticks plot.Ticker) {
	axis.Min = low
	axis.Max = high
	axis.Tick.Marker = ticks
}
