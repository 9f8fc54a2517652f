package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/vg"

	"github.com/marigram/marigram/internal/table"
)

func printedDocument(t *testing.T) *pdfDocument {
	study := Of(synthetic(9, 40))
	study.rank()
	d := newPDF()
	d.Heading(1, "A title that is so long that it takes more than one line of a page, which is why it is broken")
	d.Text(strings.Repeat("A sentence of a paragraph. ", 20))
	d.List([]item{{"a hash", strings.Repeat("0123456789abcdef", 16) + " ☃ … é\x00\n"}})
	for _, draw := range []func() (*canvas.Figure, error){func() (*canvas.Figure, error) { return study.ranking(study.objectives[0]) }, study.clouds} {
		f, err := draw()
		if err != nil || d.Figure(f, "a caption") != nil {
			t.Fatal(err)
		}
	}
	tab := table.New("policy", "cost USD", "what it says|left")
	for i := range 90 {
		tab.Row(fmt.Sprint("policy ", i), fmt.Sprint(1.5*float64(i)), strings.Repeat("word ", i))
		tab.Rows[i][1].Note = "late"
	}
	tab.RowClasses = []string{"best"}
	d.Table(tab)
	return d
}

// A document goes on over pages and has the same bytes each time.
func TestDocument(t *testing.T) {
	first, err := bytesOf(printedDocument(t))
	if err != nil {
		t.Fatal(err)
	}
	again, err := bytesOf(printedDocument(t))
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("another document, or %v", err)
	}
	pages := bytes.Count(first, []byte("/Type /Page\n"))
	if !bytes.HasPrefix(first, []byte("%PDF")) || pages < 5 || pages > 12 {
		t.Errorf("%d pages, begins with %.8q", pages, first)
	}
}

// Nothing is wider than its column, and nothing is lost but spaces.
func TestLines(t *testing.T) {
	check := near.Count(t)
	style := canvas.TextStyle(8)
	for _, text := range []string{"", " ", "word", strings.Repeat("word ", 50), strings.Repeat("x", 300), "a " + strings.Repeat("W", 90) + " b"} {
		got := lines(text, 100, style.Width)
		for _, line := range got {
			if check.Above(float64(style.Width(line)), float64(100+vg.Length(1e-6))) {
				t.Errorf("%q is wider than its column", line)
			}
		}
		if strings.ReplaceAll(strings.Join(got, ""), " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// bytesOf ends a document.
func bytesOf(d *pdfDocument) ([]byte, error) {
	var out bytes.Buffer
	_, err := d.canvas.WriteTo(&out)
	return out.Bytes(), err
}
