// Package canvas is what the figures of marigram share: the sheet with its title, keys
// and rows of panels, the palette and the styles of policies, ticks, and what writes a
// figure as SVG, PNG and PDF or into a page that has a dark scheme. Lengths are in
// points of 1/72 inch. Package plots draws the figures themselves with it.
package canvas

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
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
	Zoom          float64        // of what is drawn, text and lines; 0: 1
}

// zoom is by how much what is drawn is enlarged.
func (f *Figure) zoom() float64 { return cmp.Or(f.Zoom, 1) }

// Resize draws the figure with that width, in inches, as it is drawn (with its Zoom), and with that height; 0 keeps the
// proportions of the panels. Panels that are too narrow side by side stand below each other, and lines break. An error
// says what is too small for the titles, the keys and panels that can be read.
func (f *Figure) Resize(width, height float64) error {
	zoom := vg.Length(f.zoom())
	rowHeight := (f.Height - f.Head() - f.Foot) / vg.Length(len(f.Panels))
	proportion := rowHeight / (f.Width / vg.Length(len(f.Panels[0])))
	if width > 0 {
		f.Width = vg.Length(width) * vg.Inch / zoom
		f.reflow()
	}
	inches := func(l vg.Length) float64 { return (l * zoom).Points() / vg.Inch.Points() }
	each := f.Width / vg.Length(len(f.Panels[0]))
	if each < minPanel {
		return fmt.Errorf("%.3g inches are too narrow for a panel, expected at least %.1f", inches(f.Width),
			inches(minPanel)+0.05)
	}
	rows := vg.Length(len(f.Panels))
	f.Height = f.Head() + f.Foot + rows*max(proportion*each, minPanel)
	if height > 0 {
		f.Height = vg.Length(height) * vg.Inch / zoom
	}
	if least := f.Head() + f.Foot + rows*minPanel; f.Height < least {
		return fmt.Errorf("%.3g inches are too low for the titles, the keys and %d rows of panels, "+
			"expected at least %.1f", inches(f.Height), len(f.Panels), inches(least)+0.05)
	}
	return nil
}

// reflow puts panels into as many columns, of those that there are, as have room, and breaks their titles.
func (f *Figure) reflow() {
	cols := max(1, min(len(f.Panels[0]), int(f.Width/(2*minPanel))))
	if cols < len(f.Panels[0]) {
		var rows [][]*plot.Plot
		for _, panel := range slices.Concat(f.Panels...) {
			if panel == nil {
				continue
			}
			if last := len(rows) - 1; last >= 0 && len(rows[last]) < cols {
				rows[last] = append(rows[last], panel)
			} else {
				rows = append(rows, []*plot.Plot{panel})
			}
		}
		for len(rows[len(rows)-1]) < cols {
			rows[len(rows)-1] = append(rows[len(rows)-1], nil)
		}
		f.Panels = rows
	}
	const axis = 0.6 * vg.Inch
	for _, panel := range slices.Concat(f.Panels...) {
		if panel != nil && panel.Title.Text != "" {
			line := strings.ReplaceAll(panel.Title.Text, "\n", " ")
			panel.Title.Text = strings.Join(Wrap(line, f.Width/vg.Length(cols)-axis, panel.Title.TextStyle.Width), "\n")
		}
	}
}

// minPanel is the least side of a panel with its axis.
const minPanel = 1.1 * vg.Inch

// SVG draws the figure as a stand-alone SVG document. Its text is not embedded:
// it names fonts of the same widths that browsers have.
func (f *Figure) SVG() ([]byte, error) {
	zoom := vg.Length(f.zoom())
	drawing := &svgCanvas{Canvas: vgsvg.New(f.Width*zoom, f.Height*zoom)}
	f.Draw(f.enlarged(drawing))
	return drawing.document()
}

// enlarged is a canvas of the figure's size on which everything is drawn larger.
func (f *Figure) enlarged(c vg.Canvas) draw.Canvas {
	if f.zoom() != 1 {
		c.Scale(f.zoom(), f.zoom())
	}
	return draw.NewCanvas(c, f.Width, f.Height)
}

// svgCanvas is vgsvg's, with the width of each text: a browser without the font, whose letters are wider, draws no text
// across an axis or another text.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, face.Width(text))
	c.Canvas.FillString(face, at, text)
}

// document is what was drawn, with fonts that browsers have.
func (c *svgCanvas) document() ([]byte, error) {
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	const family = "font-family:Liberation Sans;"
	svg := bytes.ReplaceAll(out.Bytes(), []byte(family),
		[]byte("font-family:'Liberation Sans',Arimo,Helvetica,Arial,sans-serif;"))
	begin := []byte("<text ")
	parts := bytes.Split(svg, begin)
	if len(parts) != len(c.widths)+1 {
		return nil, fmt.Errorf("canvas: %d texts were drawn, and %d are in the document",
			len(c.widths), len(parts)-1)
	}
	fitted := parts[0]
	for i, part := range parts[1:] {
		width := c.widths[i].Points()
		fitted = fmt.Appendf(fitted, `%stextLength="%.2f" lengthAdjust="spacingAndGlyphs" `, begin, width)
		fitted = append(fitted, part...)
	}
	return fitted, nil
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
