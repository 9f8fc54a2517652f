package plots

import (
	"bytes"
	"strings"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// The page of a document: A4.
const (
	pageWidth   = 210 * vg.Millimeter
	pageHeight  = 297 * vg.Millimeter
	pageMargin  = 16 * vg.Millimeter
	columnWidth = pageWidth - 2*pageMargin
	cellGap     = vg.Length(8)
)

// Document is a PDF document of headings, text, tables and figures on A4 pages. It has
// the font in it and 1970 for its date: the same content gives the same bytes.
type Document struct {
	canvas canvas.PDFCanvas
	y      vg.Length // of the paper below what was written, from the bottom
}

// NewDocument begins a document.
func NewDocument() *Document {
	return &Document{canvas.PDFCanvas{Canvas: vgpdf.New(pageWidth, pageHeight)}, pageHeight - pageMargin}
}

// Bytes ends the document.
func (d *Document) Bytes() ([]byte, error) {
	var out bytes.Buffer
	_, err := d.canvas.WriteTo(&out)
	return out.Bytes(), err
}

// room makes sure that there is so much paper left on the page.
func (d *Document) room(height vg.Length) {
	if d.y-height < pageMargin && d.y < pageHeight-pageMargin {
		d.canvas.NextPage()
		d.y = pageHeight - pageMargin
	}
}

// Heading writes a heading of some level, 1 for the title, that stands with what follows.
func (d *Document) Heading(level int, words string) {
	size := []vg.Length{17, 13, 10}[min(max(level, 1), 3)-1]
	d.room(size + 60)
	if d.y < pageHeight-pageMargin {
		d.y -= size * 0.8
	}
	d.write(words, canvas.TextStyle(size), 0)
	d.y -= 3
}

// Text writes a paragraph.
func (d *Document) Text(words string) {
	d.write(words, canvas.TextStyle(9), 0)
	d.y -= 4
}

// Item writes a paragraph of a list.
func (d *Document) Item(words string) {
	style := canvas.TextStyle(9)
	height := style.FontExtents().Height
	d.room(height)
	d.fill(style, vg.Point{X: pageMargin + 3, Y: d.y - style.FontExtents().Ascent}, "•")
	d.write(words, style, 12)
	d.y -= 2
}

// write writes lines, indented.
func (d *Document) write(words string, style text.Style, indent vg.Length) {
	height := style.FontExtents().Height * 1.12
	for _, line := range lines(words, columnWidth-indent, style.Width) {
		d.room(height)
		d.fill(style, vg.Point{X: pageMargin + indent, Y: d.y - style.FontExtents().Ascent}, line)
		d.y -= height
	}
}

func (d *Document) fill(style text.Style, at vg.Point, line string) {
	d.paper().FillText(style, at, line)
}

// paper is the whole page.
func (d *Document) paper() *draw.Canvas {
	c := draw.NewCanvas(d.canvas, pageWidth, pageHeight)
	return &c
}

// Figure draws a figure as wide as the text, or smaller where it is higher than two
// thirds of a page.
func (d *Document) Figure(f *canvas.Figure) {
	scale := min(columnWidth/f.Width, 0.66*(pageHeight-2*pageMargin)/f.Height, 1.25)
	d.room(scale*f.Height + 6)
	d.y -= scale * f.Height
	d.canvas.Push()
	d.canvas.Translate(vg.Point{X: pageMargin, Y: d.y})
	d.canvas.Scale(float64(scale), float64(scale))
	f.Draw(draw.NewCanvas(d.canvas, f.Width, f.Height))
	d.canvas.Pop()
	d.y -= 6
}

// Table is rows of cells under a head.
type Table struct {
	Head    []string
	Rows    [][]string // each as long as Head
	Numbers []bool     // columns of numbers, which stand to the right
	Strong  []bool     // rows that are set off
}

// Table writes a table, its head again on every page. Cells that have no room are broken
// into lines.
func (d *Document) Table(t *Table) {
	style := canvas.TextStyle(7.5)
	widths := t.widths(style)
	d.row(t.Head, widths, t.Numbers, style, false)
	for i, row := range t.Rows {
		height := style.FontExtents().Height * 1.2 * vg.Length(deepest(row, widths, style)+1)
		if d.y-height < pageMargin {
			d.room(pageHeight)
			d.row(t.Head, widths, t.Numbers, style, false)
		}
		d.row(row, widths, t.Numbers, style, i < len(t.Strong) && t.Strong[i])
	}
	d.y -= 8
}

// widths shares the page among the columns: what each needs, or less of the widest.
func (t *Table) widths(style text.Style) []vg.Length {
	widths := make([]vg.Length, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], style.Width(canvas.Label(cell, 1<<20))+1)
		}
	}
	for range 200 {
		total, widest := cellGap*vg.Length(len(widths)-1), 0
		for i, w := range widths {
			total += w
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= columnWidth {
			break
		}
		widths[widest] = max(widths[widest]-max(total-columnWidth, 1)/2-1, 20)
	}
	return widths
}

func deepest(row []string, widths []vg.Length, style text.Style) (n int) {
	for i, cell := range row {
		n = max(n, len(lines(cell, widths[i], style.Width)))
	}
	return n
}

// row writes one row and the line below it.
func (d *Document) row(row []string, widths []vg.Length, numbers []bool, style text.Style, strong bool) {
	height := style.FontExtents().Height * 1.2
	deep := height*vg.Length(deepest(row, widths, style)) + 3
	d.room(deep)
	if strong {
		fillCell(*d.paper(), canvas.PaleGrey, vg.Rectangle{Min: vg.Point{X: pageMargin - 2, Y: d.y - deep}, Max: vg.Point{X: pageWidth - pageMargin, Y: d.y}})
	}
	x := pageMargin
	for i, cell := range row {
		for k, line := range lines(cell, widths[i], style.Width) {
			at := vg.Point{X: x, Y: d.y - 1.5 - style.FontExtents().Ascent - vg.Length(k)*height}
			if i < len(numbers) && numbers[i] {
				at.X += widths[i] - style.Width(line)
			}
			d.fill(style, at, line)
		}
		x += widths[i] + cellGap
	}
	d.y -= deep
	d.paper().StrokeLine2(draw.LineStyle{Color: canvas.LightGrey, Width: 0.5}, pageMargin, d.y, x-cellGap, d.y)
}

// lines breaks text from outside into lines, between words where it can.
func lines(words string, room vg.Length, width func(string) vg.Length) []string {
	var out []string
	for _, line := range canvas.Wrap(strings.TrimSpace(canvas.Label(words, 1<<20)), room, width) {
		for width(line) > room {
			runes := []rune(line)
			n := len(runes)
			for n > 1 && width(string(runes[:n])) > room {
				n = n * 9 / 10
			}
			out, line = append(out, string(runes[:n])), string(runes[n:])
		}
		out = append(out, line)
	}
	return out
}
