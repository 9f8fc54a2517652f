package canvas

import (
	"image/color"
)

// The palette of Okabe and Ito, which readers with any of the common colour
// vision deficiencies can tell apart: M. Okabe and K. Ito, "Color Universal
// Design", 2008, https://jfly.uni-koeln.de/color/.
var (
	Black      = color.RGBA{A: 255}
	Orange     = color.RGBA{R: 230, G: 159, A: 255}
	SkyBlue    = color.RGBA{R: 86, G: 180, B: 233, A: 255}
	Green      = color.RGBA{G: 158, B: 115, A: 255}
	yellow     = color.RGBA{R: 240, G: 228, B: 66, A: 255}
	Blue       = color.RGBA{G: 114, B: 178, A: 255}
	Vermillion = color.RGBA{R: 213, G: 94, A: 255}
	Purple     = color.RGBA{R: 204, G: 121, B: 167, A: 255}

	// olive is of the muted scheme of P. Tol, "Colour Schemes", 2021, https://personal.sron.nl/~pault/: for an
	// eighth policy, since yellow is lost on paper.
	olive = color.RGBA{R: 153, G: 153, B: 51, A: 255}

	Grey      = color.RGBA{R: 110, G: 110, B: 110, A: 255}
	LightGrey = color.RGBA{R: 226, G: 226, B: 226, A: 255}
	PaleGrey  = color.RGBA{R: 244, G: 244, B: 244, A: 255}
)

// TypeColors are the colours of instance types, in order. Black and grey are
// left to progress and objectives.
var TypeColors = []color.RGBA{Blue, Orange, Green, Purple, Vermillion, SkyBlue, yellow}

// TypeColor is the colour of the i-th instance type, from 0.
func TypeColor(i int) color.RGBA { return TypeColors[i%len(TypeColors)] }

// Paper is the paper.
var Paper = Tint(Black, 0)

// Tint is a colour mixed with the paper: share 1 is the colour itself.
func Tint(c color.RGBA, share float64) Paint {
	return Paint{mix(c, white, share), mix(onDark(c), darkPaper, share)}
}

// mix is a share of one colour and the rest of another.
func mix(c, with color.RGBA, share float64) color.RGBA {
	one := func(v, w uint8) uint8 { return uint8(float64(w) + share*(float64(v)-float64(w)) + 0.5) }
	return color.RGBA{R: one(c.R, with.R), G: one(c.G, with.G), B: one(c.B, with.B), A: 255}
}

// Ink is a colour dark enough for text on white, and light enough on dark paper: the
// contrast of any of the palette's but yellow is at least 4.5, as WCAG 2.2 asks for.
func Ink(c color.RGBA) Paint {
	return Paint{mix(c, Black, 0.66), mix(onDark(c), white, 0.75)}
}

// Faded is a colour for what competes no more.
func Faded(c color.RGBA) Paint { return Paint{mix(c, white, 0.55), mix(onDark(c), darkPaper, 0.75)} }

// Veil is what texts in a panel are written on.
var Veil = color.NRGBA{R: 255, G: 255, B: 255, A: 190}

// Paint is a colour on white paper, and its counterpart on dark paper.
type Paint struct{ light, dark color.RGBA }

// RGBA implements color.Color.
func (p Paint) RGBA() (r, g, b, a uint32) { return p.light.RGBA() }

var (
	white     = color.RGBA{R: 255, G: 255, B: 255, A: 255}
	darkPaper = color.RGBA{R: 22, G: 24, B: 27, A: 255}
)

// darks are the colours of the palette that cannot be seen on dark paper, and what
// they are there.
var darks = map[color.RGBA]color.RGBA{
	white:     darkPaper,
	Black:     {R: 232, G: 232, B: 232, A: 255},
	Grey:      {R: 169, G: 173, B: 179, A: 255},
	LightGrey: {R: 58, G: 62, B: 68, A: 255},
	PaleGrey:  {R: 34, G: 38, B: 43, A: 255},
	Blue:      {R: 62, G: 146, B: 222, A: 255},
}

// onDark is a colour of the palette on dark paper.
func onDark(c color.RGBA) color.RGBA {
	if d, has := darks[c]; has {
		return d
	}
	return c
}

// paintOf finds the counterpart of a colour, but for its opacity, which is returned
// next to it.
func paintOf(c color.Color) (Paint, uint8) {
	switch c := c.(type) {
	case Paint:
		return c, 255
	case color.NRGBA:
		solid := color.RGBA{R: c.R, G: c.G, B: c.B, A: 255}
		return Paint{solid, onDark(solid)}, c.A
	case nil:
		return Paint{Black, onDark(Black)}, 255
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return paintOf(n)
}
