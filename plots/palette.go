package plots

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette of Okabe and Ito, which readers with any of the common colour
// vision deficiencies can tell apart: M. Okabe and K. Ito, "Color Universal
// Design", 2008, https://jfly.uni-koeln.de/color/.
var (
	black      = color.RGBA{A: 255}
	orange     = color.RGBA{R: 230, G: 159, A: 255}
	skyBlue    = color.RGBA{R: 86, G: 180, B: 233, A: 255}
	green      = color.RGBA{G: 158, B: 115, A: 255}
	yellow     = color.RGBA{R: 240, G: 228, B: 66, A: 255}
	blue       = color.RGBA{G: 114, B: 178, A: 255}
	vermillion = color.RGBA{R: 213, G: 94, A: 255}
	purple     = color.RGBA{R: 204, G: 121, B: 167, A: 255}

	grey      = color.RGBA{R: 110, G: 110, B: 110, A: 255}
	lightGrey = color.RGBA{R: 226, G: 226, B: 226, A: 255}
	paleGrey  = color.RGBA{R: 244, G: 244, B: 244, A: 255}
)

// Look is how a policy is drawn: its colour, the dashes of its lines and the shape
// of its points. Two policies of one colour differ in the other two.
type Look struct {
	Color  color.RGBA
	dashes []vg.Length
	shape  draw.GlyphDrawer
}

func (l Look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: 1.3, Dashes: l.dashes}
}

// patterns are the dashes and shapes that tell policies of one colour apart. Numbers
// 3 and 4 are for policies that looks does not have.
var patterns = []Look{
	{shape: draw.CircleGlyph{}},
	{dashes: []vg.Length{5, 2}, shape: polygon{4, 45}},
	{dashes: []vg.Length{1.2, 2}, shape: polygon{3, 90}},
	{dashes: []vg.Length{6, 2, 1.2, 2}, shape: polygon{4, 0}},
	{dashes: []vg.Length{6, 2, 1.2, 2, 1.2, 2}, shape: polygon{3, 270}},
	{dashes: []vg.Length{10, 2}, shape: polygon{3, 0}},
}

// policyColors are those of policies, without yellow, which is lost on paper.
var policyColors = []color.RGBA{blue, orange, green, purple, vermillion, skyBlue, black}

// looks are the colours and patterns of the policies that marigram ships, so chosen
// that those of one kind of model, which are compared, share few colours. A new
// policy takes a free pair; none of the others changes.
var looks = map[string]struct {
	color   color.RGBA
	pattern int
}{
	"ondemand": {black, 0}, "reactive": {orange, 0}, "spotdnn": {blue, 0},
	"srifty+": {green, 1}, "cmdare": {purple, 1}, "cmdare+": {skyBlue, 1}, "fixed": {vermillion, 1},

	"parcae": {vermillion, 0}, "varuna": {green, 0}, "bamboo": {purple, 0}, "oobleck": {skyBlue, 0},
	"throughput-optimal": {blue, 1}, "parcae-reactive": {orange, 1}, "ideal-no-overhead": {black, 1},
	"parcae-ideal": {vermillion, 2}, "parcae-robust": {purple, 2}, "checkpoint": {blue, 2}, "checkfreq": {orange, 2},

	"uniform-progress": {green, 2}, "greedy": {vermillion, 5}, "time-sliced": {black, 2},
}

// LookOf is how a policy is drawn, in every figure and whatever else is drawn in
// it. A policy that marigram does not ship is given its look by its name; two of
// those may have the same one.
func LookOf(policy string) Look {
	own, shipped := looks[policy]
	if !shipped {
		h := fnv.New32a()
		h.Write([]byte(policy))
		n := int(h.Sum32() >> 1)
		own.color, own.pattern = policyColors[n%len(policyColors)], 3+n/len(policyColors)%2
	}
	look := patterns[own.pattern]
	look.Color = own.color
	return look
}

// polygon is a regular one of some sides, the first corner turned so many degrees
// from the right.
type polygon struct{ sides, turn int }

// DrawGlyph implements draw.GlyphDrawer.
func (g polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.FillPolygon(style.Color, g.corners(at, style.Radius))
}

func (g polygon) corners(at vg.Point, radius vg.Length) []vg.Point {
	var corners []vg.Point
	for k := range g.sides {
		sin, cos := math.Sincos(math.Pi * (float64(g.turn)/180 + 2*float64(k)/float64(g.sides)))
		corners = append(corners, vg.Point{X: at.X + 1.25*radius*vg.Length(cos), Y: at.Y + 1.25*radius*vg.Length(sin)})
	}
	return corners
}

// Swatch is the look's point as an SVG element of the class, for tables beside the
// figures.
func (l Look) Swatch(class string) string {
	shape := `<circle r="4"/>`
	if g, ok := l.shape.(polygon); ok {
		shape = `<polygon points="`
		for _, p := range g.corners(vg.Point{}, 4) {
			shape += fmt.Sprintf("%.2f,%.2f ", p.X, -p.Y) // y runs down in SVG
		}
		shape += `"/>`
	}
	return fmt.Sprintf(`<svg class="%s" viewBox="-5 -5 10 10" fill="#%02x%02x%02x" aria-hidden="true">%s</svg>`, class, l.Color.R, l.Color.G, l.Color.B, shape)
}

// typeColors are the colours of instance types, in order. Black and grey are
// left to progress and objectives.
var typeColors = []color.RGBA{blue, orange, green, purple, vermillion, skyBlue, yellow}

// TypeColor is the colour of the i-th instance type, from 0.
func TypeColor(i int) color.RGBA { return typeColors[i%len(typeColors)] }

// tint is a colour mixed with white: share 1 is the colour itself.
func tint(c color.RGBA, share float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*float64(255-v) + 0.5) }
	return color.RGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: 255}
}

// ink is a colour dark enough for text on white: the contrast of any of the palette's
// but yellow is at least 4.5, as WCAG 2.2 asks for.
func ink(c color.RGBA) color.RGBA {
	darker := func(v uint8) uint8 { return uint8(0.66 * float64(v)) }
	return color.RGBA{R: darker(c.R), G: darker(c.G), B: darker(c.B), A: 255}
}

// veil is what texts in a panel are written on.
var veil = color.NRGBA{R: 255, G: 255, B: 255, A: 190}
