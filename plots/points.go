package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// greyDot stands for all policies.
var greyDot = Look{Color: grey, shape: draw.CircleGlyph{}}

func runPoint(l Look) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: color.NRGBA{R: l.Color.R, G: l.Color.G, B: l.Color.B, A: 120}, Radius: 1.8, Shape: l.shape}
}

func crossPoint(c color.RGBA) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: c, Radius: 2.4, Shape: draw.CrossGlyph{}}
}

func meanPoint(l Look) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: l.Color, Radius: 4, Shape: ringedGlyph{l.shape}}
}

// ringedGlyph has a white rim, to stand out from the points below.
type ringedGlyph struct{ shape draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (g ringedGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	style.Shape = g.shape
	rim := style
	rim.Color, rim.Radius = lightest, style.Radius+1
	c.DrawGlyph(rim, at)
	c.DrawGlyph(style, at)
}

// smallPoint leaves an interval to be seen.
func smallPoint(l Look) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: l.Color, Radius: 2.7, Shape: l.shape}
}

// hollowPoint lets the points below be seen, of runs and of other policies.
func hollowPoint(l Look) *draw.GlyphStyle {
	return &draw.GlyphStyle{Color: l.Color, Radius: 4, Shape: hollowGlyph{l.shape}}
}

// hollowGlyph is the outline of a look's shape, with a white rim.
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
	for _, pen := range []draw.LineStyle{{Color: lightest, Width: 3.2}, {Color: style.Color, Width: 1.8}} {
		c.SetLineStyle(pen)
		c.Stroke(path)
	}
}
