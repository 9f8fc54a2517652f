package csvtext

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/store"
)

// MaxBytes bounds a profile or coefficient file.
const MaxBytes = 16 << 20

// Table is a small CSV file with a header; its errors name file, line and column.
type Table struct {
	Name   string     // of the file, for errors
	Header []string   // names of the columns
	Rows   [][]string // cells by row and column, without space around them
	places [][]Place  // of the cells, the header first
}

// Read reads a table that has the columns, in any order and with others between, and at least one row. A byte order
// mark is left out. name is for errors.
func Read(name string, r io.Reader, columns ...string) (*Table, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, MaxBytes)
	}
	t := &Table{Name: name}
	in := NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	for {
		row, err := in.Next()
		if err == io.EOF {
			return t, t.check(columns)
		}
		if err != nil {
			return nil, t.placed(err)
		}
		if err := t.add(row); err != nil {
			return nil, err
		}
	}
}

// placed puts the place before the message of an error.
func (t *Table) placed(err error) error {
	if bad, ok := err.(*Error); ok {
		return fmt.Errorf("%s:%d:%d: %w", t.Name, bad.Line, bad.Column, err)
	}
	return fmt.Errorf("%s: %w", t.Name, err)
}

// add adds a row, which must have as many fields as the header.
func (t *Table) add(row *Row) error {
	fields := slices.Clone(row.Fields)
	t.places = append(t.places, slices.Clone(row.Places))
	if t.Header == nil {
		t.Header = fields
		return nil
	}
	if len(fields) != len(t.Header) {
		msg := fmt.Sprintf("%d fields, expected %d as in the header%s", len(fields), len(t.Header),
			Semicolons(strings.Join(t.Header, ",")))
		return t.placed(&Error{Place{row.Places[0].Line, 1}, msg})
	}
	t.Rows = append(t.Rows, fields)
	return nil
}

// check complains of a table without the columns, or without rows.
func (t *Table) check(columns []string) error {
	if t.Header == nil {
		return fmt.Errorf("%s: the file is empty, expected a header with %s", t.Name, strings.Join(columns, ","))
	}
	for _, c := range columns {
		if !slices.Contains(t.Header, c) {
			header := strings.Join(t.Header, ",")
			return t.HeaderErrorf(0, "no column %q in the header %s%s", c, header, Semicolons(header))
		}
	}
	if len(t.Rows) == 0 {
		return fmt.Errorf("%s: no rows after the header", t.Name)
	}
	return nil
}

// Text returns a cell.
func (t *Table) Text(row int, column string) string {
	return t.Rows[row][slices.Index(t.Header, column)]
}

// Number returns a cell as a finite number from smallest to largest.
func (t *Table) Number(row int, column string, smallest, largest float64) (float64, error) {
	s := t.Text(row, column)
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < smallest || x > largest {
		return 0, t.Errorf(row, column, "%q, expected a number from %v to %v", s, smallest, largest)
	}
	return x, nil
}

// Count returns a cell as a whole number from smallest to largest.
func (t *Table) Count(row int, column string, smallest, largest int) (int, error) {
	s := t.Text(row, column)
	n, err := strconv.Atoi(s)
	if err != nil || n < smallest || n > largest {
		return 0, t.Errorf(row, column, "%q, expected a whole number from %d to %d", s, smallest, largest)
	}
	return n, nil
}

// Cells reads a row of a table, and keeps the first error: what is read after it is 0.
type Cells struct {
	*Table
	Row int
	Err error
}

// Cells returns a row to be read.
func (t *Table) Cells(row int) *Cells { return &Cells{Table: t, Row: row} }

// Has reports whether there is a column.
func (c *Cells) Has(column string) bool { return slices.Contains(c.Header, column) }

// Text returns a cell, empty where there is no column.
func (c *Cells) Text(column string) string {
	if !c.Has(column) {
		return ""
	}
	return c.Table.Text(c.Row, column)
}

// Named returns a cell that must not be empty.
func (c *Cells) Named(column string) string {
	text := c.Text(column)
	if text == "" && c.Err == nil {
		c.Err = c.Errorf(c.Row, column, "%q, expected a name", "")
	}
	return text
}

// Number is Table.Number.
func (c *Cells) Number(column string, smallest, largest float64) (x float64) {
	if c.Err == nil {
		x, c.Err = c.Table.Number(c.Row, column, smallest, largest)
	}
	return x
}

// Count is Table.Count.
func (c *Cells) Count(column string, smallest, largest int) (n int) {
	if c.Err == nil {
		n, c.Err = c.Table.Count(c.Row, column, smallest, largest)
	}
	return n
}

// Line returns the line of the file in which a row begins.
func (t *Table) Line(row int) int { return t.places[1+row][0].Line }

// Errorf returns an error at a cell.
func (t *Table) Errorf(row int, column, format string, args ...any) error {
	at := t.places[1+row][max(slices.Index(t.Header, column), 0)]
	return t.placed(&Error{at, column + ": " + fmt.Sprintf(format, args...)})
}

// HeaderErrorf returns an error at a name of the header.
func (t *Table) HeaderErrorf(column int, format string, args ...any) error {
	return t.placed(&Error{t.places[0][column], fmt.Sprintf(format, args...)})
}

// Open reads the file at path with read, which gets its name.
func Open[T any](path string, read func(string, io.Reader) (T, error)) (T, error) {
	f, err := store.OpenInput(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(path, f)
}
