package term

import (
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table prints aligned columns: the first and those of text to the left, the others
// to the right.
// On a terminal that is too narrow it is cut into blocks of columns, each with
// the first one.
type Table struct {
	rows [][]cell
	Text []int // columns, beside the first
}

type cell struct {
	text string
	best bool // of its column: marked with an asterisk
	tone Tone
}

// NewTable begins a table with the names of its columns.
func NewTable(header ...string) *Table {
	t := &Table{}
	t.Row(header...)
	for i := range t.rows[0] {
		t.rows[0][i].tone = bold
	}
	return t
}

// Row adds a row.
func (t *Table) Row(texts ...string) {
	cells := make([]cell, len(texts))
	for i, text := range texts {
		cells[i].text = text
	}
	t.rows = append(t.rows, cells)
}

// Tint colours a cell of the last row.
func (t *Table) Tint(column int, as Tone) { t.rows[len(t.rows)-1][column].tone = as }

// MarkBest marks in a column the rows for which of is least, with all that are
// printed alike; rows are those below the header, and NaN does not take part. Where
// all rows are alike none is marked.
func MarkBest[T any](t *Table, column int, rows []T, of func(*T) float64) {
	best, least, alike := "", math.Inf(1), true
	for i := range rows {
		x, text := of(&rows[i]), t.rows[1+i][column].text
		alike = alike && text == t.rows[1][column].text
		if x < least {
			best, least = text, x
		}
	}
	if alike {
		return
	}
	for i := range rows {
		if c := &t.rows[1+i][column]; c.text == best && !math.IsNaN(of(&rows[i])) {
			c.best, c.tone = true, Green
		}
	}
}

// Print prints the table as wide as the screen is.
func (t *Table) Print(w io.Writer) error {
	s := screenOf(w)
	var out strings.Builder
	for i, columns := range t.blocks(s.width) {
		if i > 0 {
			out.WriteByte('\n')
		}
		t.write(&out, s, columns)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// marked reports whether a cell of the column is the best.
func (t *Table) marked(column int) bool {
	return slices.ContainsFunc(t.rows, func(row []cell) bool { return row[column].best })
}

// width returns the width of a column with its gap and its marks.
func (t *Table) width(column int) int {
	n := 0
	for _, row := range t.rows {
		n = max(n, utf8.RuneCountInString(row[column].text))
	}
	if t.marked(column) {
		n++
	}
	if column > 0 {
		n += len(gap)
	}
	return n
}

const gap = "  "

// blocks divides the columns among blocks that are no wider than width, if that
// can be; 0 is any width.
func (t *Table) blocks(width int) (blocks [][]int) {
	block, used := []int{0}, t.width(0)
	for i := 1; i < len(t.rows[0]); i++ {
		if n := t.width(i); width > 0 && used+n > width && len(block) > 1 {
			blocks = append(blocks, block)
			block, used = []int{0}, t.width(0)
		}
		block, used = append(block, i), used+t.width(i)
	}
	return append(blocks, block)
}

func (t *Table) write(out *strings.Builder, s screen, columns []int) {
	width, marked := map[int]int{}, map[int]bool{}
	for _, i := range columns {
		width[i], marked[i] = t.width(i), t.marked(i)
	}
	for _, row := range t.rows {
		due := 0 // spaces before the next text, so that none end a line
		for _, i := range columns {
			text := row[i].text
			if row[i].best {
				text += "*"
			}
			pad := width[i] - utf8.RuneCountInString(text)
			after := 0
			switch {
			case i == 0:
				pad, after = 0, pad
			case slices.Contains(t.Text, i):
				pad, after = len(gap), pad-len(gap)
			case marked[i] && !row[i].best:
				pad, after = pad-1, 1
			}
			due += pad
			if text != "" {
				out.WriteString(strings.Repeat(" ", due) + s.paint(row[i].tone, text))
				due = 0
			}
			due += after
		}
		out.WriteByte('\n')
	}
}
