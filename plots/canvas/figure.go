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
	drawing := vgsvg.New(f.Width, f.Height)
	f.Draw(draw.New(drawing))
	var out bytes.Buffer
	if _, err := drawing.WriteTo(&out); err != nil {
		return nil, err
	}
	return fonts(out.Bytes()), nil
}

// fonts names fonts that browsers have.
func fonts(svg []byte) []byte {
	const family = "font-family:Liberation Sans;"
	return bytes.ReplaceAll(svg, []byte(family),
		[]byte("font-family:'Liberation Sans',Arimo,Helvetica,Arial,sans-serif;"))
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
	width := f.Width - 2*margin
	height := 2*margin + 6
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
	panel := plot.New()
	panel.BackgroundColor = nil
	style := TextStyle(TextSize)
	style.XAlign = text.XCenter
	panel.Title.Text = title
	panel.Title.TextStyle = style
	panel.Title.TextStyle.YAlign = text.YTop
	panel.Title.Padding = 4
	for _, axis := range []*plot.Axis{&panel.X, &panel.Y} {
		axis.Padding = 0
		axis.Label.TextStyle = style
		axis.LineStyle.Color = Grey
		axis.Tick.Label = style
		axis.Tick.Length = 3
		axis.Tick.LineStyle.Color = Grey
	}
	panel.X.Label.Text = x
	panel.X.Label.TextStyle.YAlign = text.YBottom
	panel.X.Tick.Label.YAlign = text.YTop
	panel.Y.Label.Text = y
	panel.Y.Tick.Label.XAlign = text.XRight
	panel.Y.Tick.Label.YAlign = text.YCenter
	return panel
}

// Forms are what a figure is drawn as, by the ending of the file. A browser has SVG alone.
var Forms = map[string]func(*Figure) ([]byte, error){".svg": (*Figure).SVG}
