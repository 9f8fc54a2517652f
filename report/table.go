package report

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/table"
)

// column is one of a table of rows: its name, and what it says of one.
type column[T any] struct {
	Name   string
	Number bool
	of     func(*T) table.Cell
}

// words and number are columns of text and of numbers.
func words[T any](name string, of func(*T) string) column[T] {
	return column[T]{name, false, func(x *T) table.Cell { return table.Cell{Text: of(x)} }}
}

func number[T any](name string, of func(*T) string) column[T] {
	return column[T]{name, true, func(x *T) table.Cell { return table.Cell{Text: of(x)} }}
}

// tableOf makes a table of rows, which a page can sort; class, if there is one, gives that of each: best, misses.
func tableOf[T any](rows []*T, columns []column[T], class func(*T) string) *table.Table {
	made := &table.Table{Class: "sortable"}
	for _, c := range columns {
		made.Columns = append(made.Columns, table.Column{Name: c.Name, Left: !c.Number})
	}
	for _, row := range rows {
		if class != nil {
			made.RowClasses = append(made.RowClasses, class(row))
		}
		var cells []table.Cell
		for _, c := range columns {
			cells = append(cells, c.of(row))
		}
		made.Rows = append(made.Rows, cells)
	}
	return made
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

// short rounds to five digits, which is more than a screen shows.
func short(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		panic(err) // what FormatFloat writes can be read
	}
	return rounded
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

// orZero is 0 for a number that is not known.
func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// item is an entry of a list: what it is of, and what is said of it.
type item struct{ Of, Text string }
