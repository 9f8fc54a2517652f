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
	var next vg.Point
	for i, key := range keys {
		needs := sampleWidth + 4 + style.Width(key.Text) + keyGap
		if i > 0 && next.X+needs-keyGap > width {
			next = vg.Point{Y: next.Y - KeyHeight}
		}
		at = append(at, next)
		next.X += needs
	}
	if len(keys) == 0 {
		return nil, 0
	}
	return at, KeyHeight - next.Y
}

// drawKeys writes the keys and returns their height.
func drawKeys(c draw.Canvas, keys []Key) vg.Length {
	style := TextStyle(TextSize)
	at, height := placeKeys(keys, c.Max.X-c.Min.X)
	for i, key := range keys {
		left := vg.Point{X: c.Min.X + at[i].X, Y: c.Max.Y + at[i].Y - KeyHeight/2}
		key.drawSample(c, left)
		c.FillText(style, vg.Point{X: left.X + sampleWidth + 4, Y: left.Y - TextSize*0.33}, key.Text)
	}
	return height
}

// drawSample draws what the key stands for, from at to the right.
func (k Key) drawSample(c draw.Canvas, at vg.Point) {
	end := at.X + sampleWidth
	height := at.Y // of the line: the upper edge of what is filled
	if k.Fill != nil {
		height = at.Y + 3
		c.FillPolygon(k.Fill, Box(at.X, at.Y-3, end, height))
	}
	if k.Line != nil {
		c.StrokeLine2(*k.Line, at.X, height, end, height)
	}
	if k.Glyph != nil {
		c.DrawGlyph(*k.Glyph, vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
	}
}
