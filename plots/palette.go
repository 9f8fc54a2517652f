package plots

import "image/color"

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

// fixed are the policies that have the same colour in every figure.
var fixed = map[string]color.RGBA{"ondemand": black, "reactive": orange, "spotdnn": blue}

// others are the colours of all other policies, in order.
var others = []color.RGBA{vermillion, green, purple, skyBlue, yellow}

// typeColors are the colours of instance types, in order. Black and grey are
// left to progress and objectives.
var typeColors = []color.RGBA{blue, orange, green, purple, vermillion, skyBlue, yellow}

// Colors gives each policy its colour. ondemand, reactive and spotdnn always
// have the same one; the others get theirs in the order of the list, and share
// them when they are more than five.
func Colors(policies []string) map[string]color.RGBA {
	colors := make(map[string]color.RGBA)
	next := 0
	for _, name := range policies {
		if _, done := colors[name]; done {
			continue
		}
		c, known := fixed[name]
		if !known {
			c = others[next%len(others)]
			next++
		}
		colors[name] = c
	}
	return colors
}

// TypeColor is the colour of the i-th instance type, from 0.
func TypeColor(i int) color.RGBA { return typeColors[i%len(typeColors)] }

// tint is a colour mixed with white: share 1 is the colour itself.
func tint(c color.RGBA, share float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*float64(255-v) + 0.5) }
	return color.RGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: 255}
}

// veil is what texts in a panel are written on.
var veil = color.NRGBA{R: 255, G: 255, B: 255, A: 190}
