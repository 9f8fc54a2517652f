package canvas

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// GreyDot stands for all policies.
var GreyDot = Style{Color: Grey, Shape: draw.CircleGlyph{}}

// GreyPoint is the point of all policies, of some radius.
func GreyPoint(radius vg.Length) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: Grey, Radius: radius, Shape: Ringed{GreyDot.Shape}}
}

// RunPoint is the translucent point of one run of a policy.
func RunPoint(l Style) *draw.GlyphStyle {
	translucent := color.NRGBA{R: l.Color.R, G: l.Color.G, B: l.Color.B, A: 120}
	return &draw.GlyphStyle{Color: translucent, Radius: 1.8, Shape: l.Shape}
}

// CrossPoint is the point of a run that did not finish.
func CrossPoint(c color.RGBA) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: c, Radius: 2.4, Shape: draw.CrossGlyph{}}
}

// Ringed has a white rim, to stand out from the points below.
type Ringed struct{ Shape draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (g Ringed) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Shape = g.Shape
	rim := style
	rim.Color = Paper
	rim.Radius = 1.25 * style.Radius
	c.DrawGlyph(rim, at)
	c.DrawGlyph(style, at)
}

// Hollow is the outline of a style's shape, with paper inside.
type Hollow struct{ Shape draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (g Hollow) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	if p, ok := g.Shape.(Polygon); ok {
		for i, corner := range p.corners(at, style.Radius) {
			if i == 0 {
				path.Move(corner)
			} else {
				path.Line(corner)
			}
		}
	} else {
		path.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
		path.Arc(at, style.Radius, 0, 2*math.Pi)
	}
	path.Close()
	c.SetColor(Paper)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 0.6 + 0.25*style.Radius})
	c.Stroke(path)
}
