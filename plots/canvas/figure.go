// Package canvas is what the figures of marigram share: the sheet with its title, keys
// and rows of panels, the palette and the styles of policies, ticks, and what writes a
// figure as SVG, PNG and PDF or into a page that has a dark scheme. Lengths are in
// points of 1/72 inch. Package plots draws the figures themselves with it.
package canvas

import (
	"bytes"
	"cmp"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// margin is around the drawing.
const margin = vg.Length(6)

// Figure is a drawing of a fixed size.
type Figure struct {
	Width, Height vg.Length      // in points
	Title         []string       // one line each; the first is set in bold
	Keys          []Key          // below the title
	Panels        [][]*plot.Plot // rows of panels; nil where there is none
	Gap           vg.Length      // between rows, for headings above the panels; 0: the usual one
	Foot          vg.Length      // below the panels
}

// SVG draws the figure as a stand-alone SVG document. Its text is not embedded:
// it names fonts of the same widths that browsers have.
func (f *Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.Width, f.Height)
	f.Draw(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	return fonts(out.Bytes()), nil
}

// fonts names fonts that browsers have.
func fonts(svg []byte) []byte {
	const family = "font-family:Liberation Sans;"
	return bytes.ReplaceAll(svg, []byte(family), []byte("font-family:'Liberation Sans',Arimo,Helvetica,Arial,sans-serif;"))
}

// Draw puts the title on top, the keys below it and the panels under both.
func (f *Figure) Draw(c draw.Canvas) {
	c.SetColor(Paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	for i, line := range f.Title {
		style := f.titleStyle(i)
		for _, part := range Wrap(line, c.Max.X-c.Min.X, style.Width) {
			c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - style.FontExtents().Ascent}, part)
			c.Max.Y -= style.FontExtents().Height + 2
		}
	}
	c.Max.Y -= drawKeys(c, f.Keys) + 6
	if f.Gap > 0 {
		c.Max.Y -= TextSize
	}
	c.Min.Y += f.Foot
	f.drawPanels(c)
}

// titleStyle is that of a line of the title.
func (f *Figure) titleStyle(i int) text.Style {
	style := TextStyle(titleSize - vg.Length(i))
	if i == 0 {
		style.Font.Weight = bold
	}
	return style
}

// Head is the height of what stands above the panels, and of the margins.
func (f *Figure) Head() vg.Length {
	width, height := f.Width-2*margin, 2*margin+6
	for i, line := range f.Title {
		style := f.titleStyle(i)
		height += vg.Length(len(Wrap(line, width, style.Width))) * (style.FontExtents().Height + 2)
	}
	_, keys := placeKeys(f.Keys, width)
	return height + keys
}

func (f *Figure) drawPanels(c draw.Canvas) {
	tiles := draw.Tiles{Rows: len(f.Panels), Cols: len(f.Panels[0]), PadX: 14, PadY: cmp.Or(f.Gap, 9)}
	canvases := plot.Align(f.Panels, tiles, c)
	for j, row := range f.Panels {
		for i, p := range row {
			if p != nil {
				p.Draw(canvases[j][i])
			}
		}
	}
}

// NewPanel is an empty plot in the house style.
func NewPanel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	style := TextStyle(TextSize)
	style.XAlign = text.XCenter
	p.Title.TextStyle, p.X.Label.TextStyle, p.Y.Label.TextStyle = style, style, style
	p.Title.TextStyle.YAlign = text.YTop
	p.Title.Padding = 4
	p.X.Label.TextStyle.YAlign = text.YBottom
	p.X.Tick.Label, p.Y.Tick.Label = style, style
	p.X.Tick.Label.YAlign = text.YTop
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = text.XRight, text.YCenter
	p.X.Padding, p.Y.Padding = 0, 0
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Length, a.LineStyle.Color, a.Tick.LineStyle.Color = 3, Grey, Grey
	}
	return p
}

// Forms are what a figure is drawn as, by the ending of the file. A browser has SVG alone.
var Forms = map[string]func(*Figure) ([]byte, error){".svg": (*Figure).SVG}
