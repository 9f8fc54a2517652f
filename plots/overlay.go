package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ClaimPoint is one published number with ours.
type ClaimPoint struct {
	Item      string // its name in the figure
	Series    string // what it is a point of; may be empty
	X         string // where it lies: a number, or a label; empty: Item
	Unit      string
	Published float64
	Simulated *float64 // nil: none
}

// maxItems is how many labelled points a panel has room for; of more, ours are
// drawn against the published.
const maxItems = 24

// Overlay draws ours over the published points of one figure or table: a panel
// a unit, over the figure's own x axis where that is given as numbers, else
// point by point, or ours against the published where there are many. x says
// what the numbers of the axis are.
func Overlay(name, x string, points []ClaimPoint) (*canvas.Figure, error) {
	if len(points) == 0 {
		return nil, ErrNothing
	}
	units := firsts(each(points, func(p ClaimPoint) string { return p.Unit }))
	drawn := overlay{x: x, points: points, series: firsts(each(points, func(p ClaimPoint) string { return p.Series }))}
	figure := &canvas.Figure{
		Width:  6 * vg.Inch,
		Height: vg.Length(len(units))*2.9*vg.Inch + 0.9*vg.Inch,
		Title:  []string{canvas.Label(name, 60) + ": published and simulated"},
		Keys:   drawn.keys(),
	}
	for _, unit := range units {
		figure.Panels = append(figure.Panels, []*plot.Plot{drawn.panel(unit)})
	}
	return figure, nil
}

// overlay is what the panels share.
type overlay struct {
	x      string
	points []ClaimPoint
	series []string
}

// glyphs are the published and our points of a series. Where there are more
// series than colours, the next have other shapes.
func (o *overlay) glyphs(series string) (published, ours draw.GlyphStyle) {
	shapes := [][2]draw.GlyphDrawer{
		{draw.RingGlyph{}, draw.CircleGlyph{}},
		{draw.SquareGlyph{}, draw.BoxGlyph{}},
		{draw.TriangleGlyph{}, draw.PyramidGlyph{}},
	}
	i := slices.Index(o.series, series)
	return glyphs(canvas.TypeColors[i%len(canvas.TypeColors)], shapes[i/len(canvas.TypeColors)%len(shapes)])
}

func glyphs(c color.RGBA, shapes [2]draw.GlyphDrawer) (published, ours draw.GlyphStyle) {
	return draw.GlyphStyle{Color: c, Radius: 4.2, Shape: shapes[0]},
		draw.GlyphStyle{Color: c, Radius: 2, Shape: shapes[1]}
}

func (o *overlay) keys() []canvas.Key {
	ring, dot := glyphs(canvas.Grey, [2]draw.GlyphDrawer{draw.RingGlyph{}, draw.CircleGlyph{}})
	keys := []canvas.Key{{Text: "published, or bound", Glyph: &ring}, {Text: "marigram", Glyph: &dot}}
	for _, series := range o.series {
		if series != "" && len(o.series) > 1 {
			_, dot := o.glyphs(series)
			keys = append(keys, canvas.Key{Text: canvas.Label(series, 30), Glyph: &dot})
		}
	}
	return keys
}

func (o *overlay) panel(unit string) *plot.Plot {
	points := slices.DeleteFunc(slices.Clone(o.points), func(panel ClaimPoint) bool { return panel.Unit != unit })
	xs, numeric := numbers(points)
	switch {
	case numeric:
		panel := canvas.NewPanel("", o.x, canvas.Label(unit, 50))
		o.add(panel, points, xs)
		return panel
	case len(points) > maxItems:
		return o.scatter(points, unit)
	}
	panel := canvas.NewPanel("", "", canvas.Label(unit, 50))
	canvas.SetAxis(&panel.X, -0.5, float64(len(points))-0.5, plot.ConstantTicks(labels(points)))
	canvas.TurnLabels(&panel.X, math.Pi/3)
	o.add(panel, points, xs)
	return panel
}

// add draws the points over xs, with both axes from their own least number but
// the y axis from 0 where all are positive.
func (o *overlay) add(p *plot.Plot, points []ClaimPoint, xs []float64) {
	values := extent{high: math.Inf(-1)}
	p.Add(canvas.Grid())
	for i, point := range points {
		published, ours := o.glyphs(point.Series)
		p.Add(glyphAt(xs[i], point.Published, published))
		values.include(point.Published)
		if point.Simulated != nil {
			p.Add(glyphAt(xs[i], *point.Simulated, ours))
			values.include(*point.Simulated)
		}
	}
	if values.high <= values.low {
		values.high = values.low + 1
	}
	p.Y.Min = values.low
	p.Y.Max = values.high + 0.06*values.width()
}

// scatter draws ours against the published, with the line where they are equal.
func (o *overlay) scatter(points []ClaimPoint, unit string) *plot.Plot {
	panel := canvas.NewPanel("", "published, "+canvas.Label(unit, 40), "marigram, "+canvas.Label(unit, 40))
	var values extent // 0 belongs to it
	panel.Add(canvas.Grid())
	for _, point := range points {
		values.include(point.Published)
		if point.Simulated != nil {
			_, ours := o.glyphs(point.Series)
			panel.Add(glyphAt(point.Published, *point.Simulated, ours))
			values.include(*point.Simulated)
		}
	}
	low := values.low
	high := values.high
	if high <= low {
		high = low + 1
	}
	grey := draw.LineStyle{Color: canvas.Grey, Width: 0.6}
	panel.Add(canvas.Line(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}}, grey))
	for _, axis := range []*plot.Axis{&panel.X, &panel.Y} {
		axis.Min = low
		axis.Max = high * 1.03
	}
	return panel
}

func glyphAt(x, y float64, style draw.GlyphStyle) plot.Plotter {
	return &plotter.Scatter{XYs: plotter.XYs{{X: x, Y: y}}, GlyphStyle: style}
}

// numbers returns the places of the points on the x axis: their own if all are
// numbers and not the same, else their places in the list.
func numbers(points []ClaimPoint) (xs []float64, numeric bool) {
	numeric = true
	for _, point := range points {
		x, err := strconv.ParseFloat(point.X, 64)
		numeric = numeric && err == nil
		xs = append(xs, x)
	}
	if numeric && slices.Max(xs) > slices.Min(xs) {
		return xs, true
	}
	for i := range xs {
		xs[i] = float64(i)
	}
	return xs, false
}

func labels(points []ClaimPoint) []plot.Tick {
	var ticks []plot.Tick
	for i, point := range points {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: canvas.Label(cmp.Or(point.X, point.Item), 24)})
	}
	return ticks
}
