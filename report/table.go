package report

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/units"
)

// column is one of a table: its name, and what it says of a row.
type column[T any] struct {
	Name   string
	Number bool
	of     func(*T) cell
}

// words and number are columns of text and of numbers.
func words[T any](name string, of func(*T) string) column[T] {
	return column[T]{name, false, func(x *T) cell { return cell{Text: of(x)} }}
}

func number[T any](name string, of func(*T) string) column[T] {
	return column[T]{name, true, func(x *T) cell { return cell{Text: of(x)} }}
}

// table is rows of cells under the names of their columns.
type table struct {
	Columns []heading
	Rows    []tableRow
	Unit    string // of parts that add up to the last column; empty: they do not
}

// heading is the name of a column.
type heading struct {
	Name   string
	Number bool
}

// tableRow is a row of a table; its class says that it is "best" or that it "misses".
type tableRow struct {
	Class string
	Cells []cell
}

// cell is a cell of a table.
type cell struct {
	Text, Note string // the note is poor
	Tone       string // "good", "poor" or, if neither, empty
	Policy     string // whose line and point stand before the text; empty: none
	Order      int    // by which rows are sorted; 0: by the text
}

func (c *cell) String() string {
	if c.Note == "" {
		return c.Text
	}
	return c.Text + " " + c.Note
}

// tableOf makes a table of rows; class, if there is one, gives that of each.
func tableOf[T any](rows []*T, columns []column[T], class func(*T) string) *table {
	t := &table{}
	for _, c := range columns {
		t.Columns = append(t.Columns, heading{c.Name, c.Number})
	}
	for _, x := range rows {
		row := tableRow{}
		if class != nil {
			row.Class = class(x)
		}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.of(x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Numbers as they stand in cells.

func fixed(x float64) string { return fmt.Sprintf("%.3f", x) }

// hours writes seconds as hours.
func hours(s float64) string { return fixed(s / 3600) }

func optionalHours(s *float64) string {
	if s == nil {
		return "none"
	}
	return hours(*s)
}

// between writes an interval; nil where there is none.
func between(ci *intervals.Interval, write func(float64) string) string {
	if ci == nil {
		return "none"
	}
	return write(ci.Low) + " to " + write(ci.High)
}

func usdInterval(ci *intervals.Interval) string { return between(ci, units.USD) }

// short rounds to five digits, which is more than a screen shows.
func short(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		panic(err) // what FormatFloat writes can be read
	}
	return y
}

// short5 writes five digits.
func short5(x float64) string { return strconv.FormatFloat(short(x), 'g', -1, 64) }

// span puts seconds into words.
func span(s float64) string {
	switch {
	case s < 90:
		return fmt.Sprintf("%.3g s", s)
	case s < 90*60:
		return fmt.Sprintf("%.3g min", s/60)
	}
	return fmt.Sprintf("%.4g h", s/3600)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
