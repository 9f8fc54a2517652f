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
	g := plotter.NewGrid()
	style := draw.LineStyle{Color: LightGrey, Width: 0.5}
	g.Vertical, g.Horizontal = style, style
	return g
}

// Slant turns the labels of an x axis, and keeps them off it by ticks that are
// not seen.
func Slant(x *plot.Axis) {
	x.Tick.Length, x.Tick.LineStyle.Color = 7, Paper
	x.Tick.Label.Rotation = math.Pi / 4
	x.Tick.Label.XAlign, x.Tick.Label.YAlign = text.XRight, text.YCenter
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
	style.Color, style.XAlign, style.YAlign = Grey, text.XCenter, text.YCenter
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
	for _, v := range a.High {
		outline = append(outline, place(v))
	}
	edge := slices.Clone(outline)
	for _, v := range slices.Backward(a.Low) {
		outline = append(outline, place(v))
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
	x0, x1 := c.X(p.X.Norm(b.From)), c.X(p.X.Norm(b.To))
	c.FillPolygon(b.Fill, []vg.Point{{X: x0, Y: c.Min.Y}, {X: x1, Y: c.Min.Y}, {X: x1, Y: c.Max.Y}, {X: x0, Y: c.Max.Y}})
}

// FillBox fills a rectangle.
func FillBox(c draw.Canvas, fill color.Color, r vg.Rectangle) {
	c.FillPolygon(fill, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}
