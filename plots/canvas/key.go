package canvas

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Key is one entry of a figure's legend: a sample and what it stands for.
type Key struct {
	Text  string
	Line  *draw.LineStyle  // nil for none, as the others
	Fill  color.Color      // below the line
	Glyph *draw.GlyphStyle // in its middle
}

// Lengths in points; KeyHeight is that of one line of keys.
const (
	sampleWidth = vg.Length(16)
	keyGap      = vg.Length(12)
	KeyHeight   = vg.Length(11.5)
)

// placeKeys places the keys from the upper left, in as many lines as they need, and
// returns the height of those.
func placeKeys(keys []Key, width vg.Length) (at []vg.Point, height vg.Length) {
	style := TextStyle(TextSize)
	var p vg.Point
	for i, k := range keys {
		needs := sampleWidth + 4 + style.Width(k.Text) + keyGap
		if i > 0 && p.X+needs-keyGap > width {
			p = vg.Point{Y: p.Y - KeyHeight}
		}
		at = append(at, p)
		p.X += needs
	}
	if len(keys) == 0 {
		return nil, 0
	}
	return at, KeyHeight - p.Y
}

// drawKeys writes the keys and returns their height.
func drawKeys(c draw.Canvas, keys []Key) vg.Length {
	style := TextStyle(TextSize)
	at, height := placeKeys(keys, c.Max.X-c.Min.X)
	for i, k := range keys {
		x, y := c.Min.X+at[i].X, c.Max.Y+at[i].Y
		k.sample(c, vg.Point{X: x, Y: y - KeyHeight/2})
		c.FillText(style, vg.Point{X: x + sampleWidth + 4, Y: y - KeyHeight/2 - TextSize*0.33}, k.Text)
	}
	return height
}

// sample draws what the key stands for, from at to the right.
func (k Key) sample(c draw.Canvas, at vg.Point) {
	end, mid := at.X+sampleWidth, vg.Point{X: at.X + sampleWidth/2, Y: at.Y}
	if k.Fill != nil {
		c.FillPolygon(k.Fill, []vg.Point{{X: at.X, Y: at.Y - 3}, {X: end, Y: at.Y - 3}, {X: end, Y: at.Y + 3}, {X: at.X, Y: at.Y + 3}})
	}
	switch {
	case k.Line != nil && k.Fill != nil:
		c.StrokeLine2(*k.Line, at.X, at.Y+3, end, at.Y+3)
	case k.Line != nil:
		c.StrokeLine2(*k.Line, at.X, at.Y, end, at.Y)
	}
	if k.Glyph != nil {
		c.DrawGlyph(*k.Glyph, mid)
	}
}
