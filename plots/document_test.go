package plots

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot/vg"
)

func document(t *testing.T) *Document {
	d := NewDocument()
	d.Heading(1, "A title that is so long that it takes more than one line of a page, which is why it is broken")
	d.Text(strings.Repeat("A sentence of a paragraph. ", 20))
	d.Item("a hash " + strings.Repeat("0123456789abcdef", 16) + " ☃ … é\x00\n")
	d.Figure(rankingFigure(t))
	d.Figure(heatFigure(t))
	table := Table{Head: []string{"policy", "cost (USD)", "what it says"}, Numbers: []bool{false, true, false}, Strong: []bool{true}}
	for i := range 90 {
		table.Rows = append(table.Rows, []string{fmt.Sprint("policy ", i), fmt.Sprint(1.5 * float64(i)), strings.Repeat("word ", i)})
	}
	d.Table(&table)
	return d
}

// A document goes on over pages and has the same bytes each time.
func TestDocument(t *testing.T) {
	first, err := document(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := document(t).Bytes()
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("another document, or %v", err)
	}
	pages := bytes.Count(first, []byte("/Type /Page\n"))
	if !bytes.HasPrefix(first, []byte("%PDF")) || pages < 5 || pages > 12 {
		t.Errorf("%d pages, begins with %.8q", pages, first)
	}
}

// Nothing is wider than its room, and nothing is lost but spaces.
func TestLines(t *testing.T) {
	check := near.Count(t)
	style := canvas.TextStyle(8)
	for _, text := range []string{"", " ", "word", strings.Repeat("word ", 50), strings.Repeat("x", 300), "a " + strings.Repeat("W", 90) + " b"} {
		got := lines(text, 100, style.Width)
		for _, line := range got {
			if check.Above(float64(style.Width(line)), float64(100+vg.Length(1e-6))) {
				t.Errorf("%q is wider than its room", line)
			}
		}
		if strings.ReplaceAll(strings.Join(got, ""), " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, got)
		}
	}
}
