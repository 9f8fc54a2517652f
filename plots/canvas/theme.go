package canvas

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Theme gathers the colours of the figures of one page. Each is a custom property of
// the page's style sheet, so that the figures follow its light and its dark scheme.
// The zero value has none yet.
type Theme struct{ paints []Paint }

// index is the number of a colour of the theme.
func (t *Theme) index(p Paint) int {
	i := slices.Index(t.paints, p)
	if i < 0 {
		i = len(t.paints)
		t.paints = append(t.paints, p)
	}
	return i
}

// Name is the custom property of a colour, "--f0" for instance.
func (t *Theme) Name(c color.Color) string {
	p, _ := paintOf(c)
	return fmt.Sprint("--f", t.index(p))
}

// Var is a colour as the value of a CSS property.
func (t *Theme) Var(c color.Color) string { return "var(" + t.Name(c) + ")" }

// CSS sets the custom properties: on screens that ask for the dark scheme those of
// dark paper, and otherwise, in print for one, those of white.
func (t *Theme) CSS() string {
	var light, dark strings.Builder
	for i, p := range t.paints {
		fmt.Fprintf(&light, "--f%d:%s;", i, hex(p.light))
		fmt.Fprintf(&dark, "--f%d:%s;", i, hex(p.dark))
	}
	return ":root{" + light.String() + "}\n@media screen and (prefers-color-scheme: dark){:root{" + dark.String() + "}}\n"
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Inline draws the figure as an SVG element for a page, in colours of the theme.
func (f *Figure) Inline(t *Theme) ([]byte, error) {
	c := themedCanvas{vgsvg.New(f.Width, f.Height), t}
	f.Draw(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	svg := fonts(out.Bytes())
	if at := bytes.Index(svg, []byte("<svg")); at >= 0 {
		svg = svg[at:]
	}
	return inStyle().ReplaceAllFunc(svg, func(b []byte) []byte {
		property, number, _ := bytes.Cut(b, []byte("#"))
		if i := marked(number); i < len(t.paints) {
			return fmt.Appendf(nil, "%svar(--f%d)", property, i)
		}
		return b
	}), nil
}

// themedCanvas draws each colour of a theme as one that stands for its number.
type themedCanvas struct {
	*vgsvg.Canvas
	theme *Theme
}

// inStyle finds those colours.
var inStyle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:fill|stroke):#[0-9A-F]{6}`) })

// SetColor implements vg.Canvas.
func (c themedCanvas) SetColor(clr color.Color) {
	p, opacity := paintOf(clr)
	c.Canvas.SetColor(mark(c.theme.index(p), opacity))
}

// mark is the colour that stands for a number below 2^15: five bits a channel, in
// the middle of eight levels, since opacity makes channels inexact.
func mark(i int, opacity uint8) color.Color {
	level := func(bits int) uint8 { return uint8(i>>bits&31*8 + 4) }
	return color.NRGBA{R: level(10), G: level(5), B: level(0), A: opacity}
}

// marked is the number that a colour, six hexadecimal digits, stands for.
func marked(digits []byte) int {
	var r, g, b int
	if _, err := fmt.Sscanf(string(digits), "%02X%02X%02X", &r, &g, &b); err != nil {
		return 1 << 15
	}
	return r/8<<10 | g/8<<5 | b/8
}

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
