package table

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Style is what a place that texts go to can show.
type Style struct {
	Colours bool
	Width   int // columns; 0: any
}

// Paint colours text where there are colours.
func (s Style) Paint(t Tone, text string) string {
	if !s.Colours || t == "" || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + "\x1b[0m"
}

// Write writes the table as aligned columns. Where it is wider than the style it is cut into blocks of columns, each
// with the first one.
func (t *Table) Write(w io.Writer, s Style) error {
	var out strings.Builder
	for i, columns := range t.blocks(s.Width) {
		if i > 0 {
			out.WriteByte('\n')
		}
		t.write(&out, s, columns)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// text is what a cell shows.
func (c *Cell) text() string {
	if c.Best {
		return c.Text + "*"
	}
	return c.Text
}

// marked reports whether a cell of the column is the best.
func (t *Table) marked(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[column].Best })
}

const gap = "  "

// width returns the width of a column with its gap and its marks.
func (t *Table) width(column int) int {
	widest := utf8.RuneCountInString(t.Columns[column].Head())
	for _, row := range t.Rows {
		widest = max(widest, utf8.RuneCountInString(row[column].Text))
	}
	if t.marked(column) {
		widest++
	}
	if column > 0 {
		widest += len(gap)
	}
	return widest
}

// blocks divides the columns among blocks that are no wider than width, if that
// can be; 0 is any width.
func (t *Table) blocks(width int) (blocks [][]int) {
	block := []int{0}
	used := t.width(0)
	for i := 1; i < len(t.Columns); i++ {
		needed := t.width(i)
		if width > 0 && used+needed > width && len(block) > 1 {
			blocks = append(blocks, block)
			block = []int{0}
			used = t.width(0)
		}
		block = append(block, i)
		used += needed
	}
	return append(blocks, block)
}

func (t *Table) write(out *strings.Builder, s Style, columns []int) {
	width := map[int]int{}
	marked := map[int]bool{}
	for _, i := range columns {
		width[i] = t.width(i)
		marked[i] = t.marked(i)
	}
	heads := make([]Cell, len(t.Columns))
	for i := range heads {
		heads[i] = Cell{Text: t.Columns[i].Head(), Tone: Bold}
	}
	for k := -1; k < len(t.Rows); k++ {
		row := heads
		if k >= 0 {
			row = t.Rows[k]
		}
		due := 0 // spaces before the next text, so that none end a line
		for _, i := range columns {
			text := row[i].text()
			spaces := width[i] - utf8.RuneCountInString(text)
			before := spaces
			switch {
			case i == 0:
				before = 0
			case t.Columns[i].Left:
				before = len(gap)
			case marked[i] && !row[i].Best:
				before--
			}
			due += before
			if text != "" {
				out.WriteString(strings.Repeat(" ", due) + s.Paint(row[i].Tone, text))
				due = 0
			}
			due += spaces - before
		}
		out.WriteByte('\n')
	}
}
