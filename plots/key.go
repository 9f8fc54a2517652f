package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is one entry of a figure's legend: a sample and what it stands for.
type key struct {
	text  string
	line  *draw.LineStyle
	fill  color.Color
	glyph *draw.GlyphStyle
}

const (
	sampleWidth = vg.Length(16)
	keyGap      = vg.Length(12)
	keyHeight   = vg.Length(11.5)
)

// placeKeys places the keys from the upper left, in as many lines as they need, and
// returns the height of those.
func placeKeys(keys []key, room vg.Length) (at []vg.Point, height vg.Length) {
	style := textStyle(textSize)
	var p vg.Point
	for i, k := range keys {
		width := sampleWidth + 4 + style.Width(k.text) + keyGap
		if i > 0 && p.X+width-keyGap > room {
			p = vg.Point{Y: p.Y - keyHeight}
		}
		at = append(at, p)
		p.X += width
	}
	if len(keys) == 0 {
		return nil, 0
	}
	return at, keyHeight - p.Y
}

// drawKeys writes the keys and returns their height.
func drawKeys(c draw.Canvas, keys []key) vg.Length {
	style := textStyle(textSize)
	at, height := placeKeys(keys, c.Max.X-c.Min.X)
	for i, k := range keys {
		x, y := c.Min.X+at[i].X, c.Max.Y+at[i].Y
		k.sample(c, vg.Point{X: x, Y: y - keyHeight/2})
		c.FillText(style, vg.Point{X: x + sampleWidth + 4, Y: y - keyHeight/2 - textSize*0.33}, k.text)
	}
	return height
}

// sample draws what the key stands for, from at to the right.
func (k key) sample(c draw.Canvas, at vg.Point) {
	end, mid := at.X+sampleWidth, vg.Point{X: at.X + sampleWidth/2, Y: at.Y}
	if k.fill != nil {
		c.FillPolygon(k.fill, []vg.Point{{X: at.X, Y: at.Y - 3}, {X: end, Y: at.Y - 3}, {X: end, Y: at.Y + 3}, {X: at.X, Y: at.Y + 3}})
	}
	switch {
	case k.line != nil && k.fill != nil:
		c.StrokeLine2(*k.line, at.X, at.Y+3, end, at.Y+3)
	case k.line != nil:
		c.StrokeLine2(*k.line, at.X, at.Y, end, at.Y)
	}
	if k.glyph != nil {
		c.DrawGlyph(*k.glyph, mid)
	}
}
