//go:build !js

package canvas

import (
	"bytes"
	"image/color"
	"strings"
	"time"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

func init() { Forms[".pdf"] = (*Figure).PDF }

// The date of a PDF file would be the present otherwise, and the order of the fonts
// in it that of a map. fpdf takes these for all documents, or not at all where
// vgpdf makes them.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// PDF draws the figure as a PDF document of one page, with the font in it and
// 1970 for its date.
func (f *Figure) PDF() ([]byte, error) {
	zoom := vg.Length(f.zoom())
	page := pdfCanvas{vgpdf.New(f.Width*zoom, f.Height*zoom)}
	f.Draw(f.enlarged(page))
	var out bytes.Buffer
	if _, err := page.WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pdfCanvas is vgpdf's, with three of its faults mended: it keeps one font file a
// document, so that a second face would get the letters of the first, it takes
// the share of white in translucent colours for darkness, and the bytes of a string for
// characters.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas: bold text is set in the regular face.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	if face.Font.Weight == bold {
		face.Font.Weight = 0
		face = font.DefaultCache.Lookup(face.Font, face.Font.Size)
	}
	c.Canvas.FillString(face, at, windows1252(text))
}

// windows1252 encodes a text as the fonts of a PDF are: vgpdf takes the bytes of a
// string for that. What the encoding does not have becomes a question mark.
func windows1252(text string) string {
	var out []byte
	for _, r := range text {
		code := byte('?')
		if r < 0x80 || r >= 0xa0 && r <= 0xff {
			code = byte(r)
		} else if high := strings.IndexRune(upper1252, r); high >= 0 {
			code = byte(0x80 + utf8.RuneCountInString(upper1252[:high]))
		}
		out = append(out, code)
	}
	return string(out)
}

// upper1252 are the characters from 0x80 to 0x9f, with DEL where there is none.
const upper1252 = "€\x7f‚ƒ„…†‡ˆ‰Š‹Œ\x7fŽ\x7f\x7f‘’“”•–—˜™š›œ\x7fžŸ"

// SetColor implements vg.Canvas.
func (c pdfCanvas) SetColor(clr color.Color) {
	if n, ok := clr.(color.NRGBA); ok {
		clr = straight(n)
	}
	c.Canvas.SetColor(clr)
}

// straight is a colour that is not multiplied by its opacity.
type straight color.NRGBA

// RGBA implements color.Color.
func (s straight) RGBA() (r, g, b, a uint32) {
	return 0x101 * uint32(s.R), 0x101 * uint32(s.G), 0x101 * uint32(s.B), 0x101 * uint32(s.A)
}
