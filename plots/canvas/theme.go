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
type Theme struct {
	Styles Styles // of the policies of the page
	paints []Paint
}

// index is the number of a colour of the theme.
func (t *Theme) index(p Paint) int {
	number := slices.Index(t.paints, p)
	if number < 0 {
		number = len(t.paints)
		t.paints = append(t.paints, p)
	}
	return number
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
	for i, paint := range t.paints {
		fmt.Fprintf(&light, "--f%d:%s;", i, hex(paint.light))
		fmt.Fprintf(&dark, "--f%d:%s;", i, hex(paint.dark))
	}
	return ":root{" + light.String() + "}\n@media screen and (prefers-color-scheme: dark){:root{" + dark.String() +
		"}}\n"
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Inline draws the figure as an SVG element for a page, in colours of the theme.
func (f *Figure) Inline(t *Theme) ([]byte, error) {
	drawing := themedCanvas{&svgCanvas{Canvas: vgsvg.New(f.Width, f.Height)}, t}
	f.Draw(draw.New(drawing))
	svg, err := drawing.document()
	if err != nil {
		return nil, err
	}
	if at := bytes.Index(svg, []byte("<svg")); at >= 0 {
		svg = svg[at:]
	}
	return inStyle().ReplaceAllFunc(svg, func(colour []byte) []byte {
		property, digits, _ := bytes.Cut(colour, []byte("#"))
		number := marked(digits)
		if number >= len(t.paints) {
			return colour
		}
		return fmt.Appendf(nil, "%svar(--f%d)", property, number)
	}), nil
}

// themedCanvas draws each colour of a theme as one that stands for its number.
type themedCanvas struct {
	*svgCanvas
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
