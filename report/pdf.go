//go:build !js

package report

import (
	"strings"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"

	"github.com/marigram/marigram/internal/table"
)

// The page of a document: A4.
const (
	pageWidth   = 210 * vg.Millimeter
	pageHeight  = 297 * vg.Millimeter
	pageMargin  = 16 * vg.Millimeter
	columnWidth = pageWidth - 2*pageMargin
	cellGap     = vg.Length(8)
)

// pdfDocument is a report as a PDF document of headings, text, tables and figures on A4 pages. It has
// the font in it and 1970 for its date: the same content gives the same bytes.
type pdfDocument struct {
	canvas canvas.PDFCanvas
	y      vg.Length // of the paper below what was written, from the bottom
}

func newPDF() *pdfDocument {
	return &pdfDocument{canvas.PDFCanvas{Canvas: vgpdf.New(pageWidth, pageHeight)}, pageHeight - pageMargin}
}

// ensure makes sure that this height is left on the page.
func (d *pdfDocument) ensure(height vg.Length) {
	if d.y-height < pageMargin && d.y < pageHeight-pageMargin {
		d.canvas.NextPage()
		d.y = pageHeight - pageMargin
	}
}

// Heading writes a heading of some level, 1 for the title, that stands with what follows.
func (d *pdfDocument) Heading(level int, words string) {
	size := []vg.Length{17, 13, 10}[min(max(level, 1), 3)-1]
	d.ensure(size + 60)
	if d.y < pageHeight-pageMargin {
		d.y -= size * 0.8
	}
	d.write(words, canvas.TextStyle(size), 0)
	d.y -= 3
}

// Text writes a paragraph.
func (d *pdfDocument) Text(words string) {
	d.write(words, canvas.TextStyle(9), 0)
	d.y -= 4
}

// List writes paragraphs with bullets.
func (d *pdfDocument) List(items []item) {
	style := canvas.TextStyle(9)
	height := style.FontExtents().Height
	for _, x := range items {
		d.ensure(height)
		d.fill(style, vg.Point{X: pageMargin + 3, Y: d.y - style.FontExtents().Ascent}, "•")
		d.write(strings.TrimSpace(x.Of+" "+x.Text), style, 12)
		d.y -= 2
	}
}

// write writes lines, indented.
func (d *pdfDocument) write(words string, style text.Style, indent vg.Length) {
	height := style.FontExtents().Height * 1.12
	for _, line := range lines(words, columnWidth-indent, style.Width) {
		d.ensure(height)
		d.fill(style, vg.Point{X: pageMargin + indent, Y: d.y - style.FontExtents().Ascent}, line)
		d.y -= height
	}
}

func (d *pdfDocument) fill(style text.Style, at vg.Point, line string) {
	d.paper().FillText(style, at, line)
}

// paper is the whole page.
func (d *pdfDocument) paper() *draw.Canvas {
	return new(draw.NewCanvas(d.canvas, pageWidth, pageHeight))
}

// Figure draws a figure as wide as the text, or smaller where it is higher than two
// thirds of a page.
func (d *pdfDocument) Figure(f *canvas.Figure, caption string) error {
	scale := min(columnWidth/f.Width, 0.66*(pageHeight-2*pageMargin)/f.Height, 1.25)
	d.ensure(scale*f.Height + 6)
	d.y -= scale * f.Height
	d.canvas.Push()
	d.canvas.Translate(vg.Point{X: pageMargin, Y: d.y})
	d.canvas.Scale(float64(scale), float64(scale))
	f.Draw(draw.NewCanvas(d.canvas, f.Width, f.Height))
	d.canvas.Pop()
	d.y -= 6
	if caption != "" {
		d.Text(caption)
	}
	return nil
}

// Table writes a table, the names of its columns again on every page. Cells that are too wide are broken
// into lines.
func (d *pdfDocument) Table(t *table.Table) {
	style := canvas.TextStyle(7.5)
	g := grid{columns: t.Columns, style: style}
	var head []string
	for _, c := range t.Columns {
		head = append(head, c.Head())
	}
	rows := make([][]string, len(t.Rows))
	for i, cells := range t.Rows {
		for _, c := range cells {
			rows[i] = append(rows[i], strings.TrimSpace(c.Text+" "+c.Note))
		}
	}
	g.fit(append([][]string{head}, rows...))
	d.row(&g, head, false)
	for i, row := range rows {
		if d.y-style.FontExtents().Height*1.2*vg.Length(g.deepest(row)+1) < pageMargin {
			d.ensure(pageHeight)
			d.row(&g, head, false)
		}
		d.row(&g, row, i < len(t.RowClasses) && strings.Contains(t.RowClasses[i], "best"))
	}
	d.y -= 8
}

// Details leaves a table out: the page has it.
func (*pdfDocument) Details(string, *table.Table) {}

// grid is the columns of a table with their widths.
type grid struct {
	columns []table.Column
	widths  []vg.Length
	style   text.Style
}

// fit shares the page among the columns: what each needs, or less of the widest.
func (g *grid) fit(rows [][]string) {
	g.widths = make([]vg.Length, len(g.columns))
	for _, row := range rows {
		for i, cell := range row {
			g.widths[i] = max(g.widths[i], g.style.Width(canvas.Label(cell, 1<<20))+1)
		}
	}
	for range 200 {
		total, widest := cellGap*vg.Length(len(g.widths)-1), 0
		for i, w := range g.widths {
			total += w
			if w > g.widths[widest] {
				widest = i
			}
		}
		if total <= columnWidth {
			break
		}
		g.widths[widest] = max(g.widths[widest]-max(total-columnWidth, 1)/2-1, 20)
	}
}

// deepest is the number of lines that a row takes.
func (g *grid) deepest(row []string) (n int) {
	for i, cell := range row {
		n = max(n, len(lines(cell, g.widths[i], g.style.Width)))
	}
	return n
}

// row writes one row and the line below it.
func (d *pdfDocument) row(g *grid, row []string, strong bool) {
	height := g.style.FontExtents().Height * 1.2
	deep := height*vg.Length(g.deepest(row)) + 3
	d.ensure(deep)
	if strong {
		box := vg.Rectangle{Min: vg.Point{X: pageMargin - 2, Y: d.y - deep}, Max: vg.Point{X: pageWidth - pageMargin, Y: d.y}}
		canvas.FillBox(*d.paper(), canvas.PaleGrey, box)
	}
	x := pageMargin
	for i, cell := range row {
		for k, line := range lines(cell, g.widths[i], g.style.Width) {
			at := vg.Point{X: x, Y: d.y - 1.5 - g.style.FontExtents().Ascent - vg.Length(k)*height}
			if !g.columns[i].Left {
				at.X += g.widths[i] - g.style.Width(line)
			}
			d.fill(g.style, at, line)
		}
		x += g.widths[i] + cellGap
	}
	d.y -= deep
	d.paper().StrokeLine2(draw.LineStyle{Color: canvas.LightGrey, Width: 0.5}, pageMargin, d.y, x-cellGap, d.y)
}

// lines breaks text from outside into lines, between words where it can.
func lines(words string, limit vg.Length, width func(string) vg.Length) []string {
	var out []string
	for _, line := range canvas.Wrap(strings.TrimSpace(canvas.Label(words, 1<<20)), limit, width) {
		for width(line) > limit {
			runes := []rune(line)
			n := len(runes)
			for n > 1 && width(string(runes[:n])) > limit {
				n = n * 9 / 10
			}
			out, line = append(out, string(runes[:n])), string(runes[n:])
		}
		out = append(out, line)
	}
	return out
}
