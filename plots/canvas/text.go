package canvas

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

const (
	TextSize  = vg.Length(8)
	titleSize = vg.Length(10)
	bold      = 3 // golang.org/x/image/font.WeightBold
)

// TextStyle is the black sans serif of all figures, in points.
func TextStyle(size vg.Length) text.Style {
	return text.Style{
		Color: Black, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
	}
}

// Wrap breaks a line between words where it is wider than the limit.
func Wrap(line string, limit vg.Length, width func(string) vg.Length) []string {
	if line == "" {
		return nil
	}
	words := strings.Split(line, " ")
	parts := words[:1:1]
	for _, word := range words[1:] {
		last := len(parts) - 1
		longer := parts[last] + " " + word
		if width(longer) <= limit {
			parts[last] = longer
		} else {
			parts = append(parts, word)
		}
	}
	return parts
}

// Label makes text from outside fit to be drawn: one line, no control
// characters, which XML does not allow, and no more than limit characters.
func Label(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufffe' || r == '\uffff' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
