// Package table is tables as data: columns with a name, a unit, a format and a side, and rows of values. One table is
// written as text for a terminal, as Markdown, HTML or JSON.
//
// Columns come from a list, each a heading and perhaps, after a bar, its format and "left":
//
//	t := table.New("policy", "cost USD|usd", "useful|%.1f %%", "note|left")
//	t.Row("reactive", 18.8, 98.2, "")
//
// or from the tags of the fields of a struct, whose JSON has the same rows:
//
//	type row struct {
//		Policy string   `json:"policy" head:"policy"`
//		USD    float64  `json:"usd" head:"cost" unit:"USD" format:"usd"`
//		Finish *float64 `json:"finish_s" head:"finish" unit:"s" format:"%.0f"` // nil: an empty cell
//	}
//	t := table.Of(rows)
package table

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Column describes a column.
type Column struct {
	Name   string // for people
	Unit   string // stands behind the name
	Key    string // in JSON
	Format string // see Format
	Left   bool   // its texts begin at its left side; else they end at its right side
}

// Head is what stands above the column.
func (c *Column) Head() string { return strings.TrimSpace(c.Name + " " + c.Unit) }

// Cell is a value with its text.
type Cell struct {
	Value any
	Text  string
	Best  bool // of its column: marked with an asterisk
	Tone  Tone
	Link  string // of HTML; empty: none
	Mark  string // of HTML, see Table.Mark; empty: none
	Note  string // stands after the text, as what is bad
	Order int    // by which a page sorts the rows; 0: by the text
}

// Tone is an SGR code of ECMA-48. What a colour says, the text says, too.
type Tone string

// The tones.
const (
	Green  Tone = "1;32" // good
	Yellow Tone = "1;33" // doubtful
	Red    Tone = "1;31" // bad
	Bold   Tone = "1"
)

// Table is columns and rows. The first column is aligned to the left.
type Table struct {
	Columns []Column
	Rows    [][]Cell

	// Of HTML alone.
	// of the table; where it has one, rows have heads and cells say their column (data-label)
	Class      string
	RowClasses []string                 // of the rows, from the first
	Mark       func(mark string) string // HTML that stands before a cell's text, by its mark
}

// New begins a table. A column is "HEADING", "HEADING|FORMAT", "HEADING|left" or "HEADING|FORMAT|left".
func New(columns ...string) *Table {
	table := &Table{}
	for i, text := range columns {
		parts := strings.Split(text, "|")
		column := Column{Name: parts[0], Left: i == 0}
		for _, part := range parts[1:] {
			if part == "left" {
				column.Left = true
			} else {
				column.Format = part
			}
		}
		table.Columns = append(table.Columns, column)
	}
	return table
}

// Of makes a table of structs. The fields with a tag head are its columns, those of embedded structs too; left:"true"
// says the side, and the name of a field in JSON is its key.
func Of[R any](rows []R) *Table {
	table := &Table{}
	var at [][]int
	for _, field := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		head, is := field.Tag.Lookup("head")
		if !is {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		table.Columns = append(table.Columns,
			Column{Name: head, Unit: field.Tag.Get("unit"), Key: key, Format: field.Tag.Get("format"),
				Left: field.Tag.Get("left") == "true" || len(at) == 0})
		at = append(at, field.Index)
	}
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		values := make([]any, len(at))
		for k, index := range at {
			values[k] = row.FieldByIndex(index).Interface()
		}
		table.Row(values...)
	}
	return table
}

// Rename changes the heading of the column of that name.
func (t *Table) Rename(name, to string) *Table {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			t.Columns[i].Name = to
		}
	}
	return t
}

// Row adds a row: a value a column, none for the last of them where a row is short.
func (t *Table) Row(values ...any) {
	if len(values) > len(t.Columns) {
		panic(fmt.Sprintf("table: %d values in %d columns", len(values), len(t.Columns)))
	}
	cells := make([]Cell, len(t.Columns))
	for i, value := range values {
		cells[i] = Cell{Value: value, Text: Format(t.Columns[i].Format, value)}
	}
	t.Rows = append(t.Rows, cells)
}

// Tint colours a cell of the last row.
func (t *Table) Tint(column int, as Tone) { t.Rows[len(t.Rows)-1][column].Tone = as }

// Link makes a cell of the last row a link of HTML.
func (t *Table) Link(column int, to string) { t.Rows[len(t.Rows)-1][column].Link = to }

// MarkBest marks in a column the rows for which of is least, with all whose texts are the same; NaN does not take
// part. rows are those that the table began with. Where all rows are alike none is marked.
func MarkBest[T any](t *Table, column int, rows []T, of func(*T) float64) {
	best := ""
	smallest := math.Inf(1)
	alike := true
	for i := range rows {
		value := of(&rows[i])
		text := t.Rows[i][column].Text
		alike = alike && text == t.Rows[0][column].Text
		if value < smallest {
			best = text
			smallest = value
		}
	}
	if alike {
		return
	}
	for i := range rows {
		cell := &t.Rows[i][column]
		if cell.Text == best && !math.IsNaN(of(&rows[i])) {
			cell.Best = true
			cell.Tone = Green
		}
	}
}
