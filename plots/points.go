package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// greyDot stands for all policies.
var greyDot = Look{Color: grey, shape: draw.CircleGlyph{}}

// greyPoint is the point of all policies, of some radius.
func greyPoint(radius vg.Length) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: grey, Radius: radius, Shape: ringedGlyph{greyDot.shape}}
}

func runPoint(l Look) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: color.NRGBA{R: l.Color.R, G: l.Color.G, B: l.Color.B, A: 120}, Radius: 1.8, Shape: l.shape}
}

func crossPoint(c color.RGBA) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: c, Radius: 2.4, Shape: draw.CrossGlyph{}}
}

// ringedGlyph has a white rim, to stand out from the points below.
type ringedGlyph struct{ shape draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (g ringedGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Shape = g.shape
	rim := style
	rim.Color, rim.Radius = lightest, 1.25*style.Radius
	c.DrawGlyph(rim, at)
	c.DrawGlyph(style, at)
}

// hollowGlyph is the outline of a look's shape, with paper inside.
type hollowGlyph struct{ shape draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (g hollowGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	if p, ok := g.shape.(polygon); ok {
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
	c.SetColor(lightest)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 0.6 + 0.25*style.Radius})
	c.Stroke(path)
}
