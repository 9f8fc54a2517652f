package csvtext

import (
	"errors"
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
	rows   []Row      // the header first
}

// Read reads a table that has the columns, in any order and with others between,
// and at least one row. name is for errors.
func Read(name string, r io.Reader, columns ...string) (*Table, error) {
	rows, err := ReadAll(name, r, MaxBytes, 0)
	if errors.Is(err, ErrEmpty) {
		return nil, fmt.Errorf("%w, expected a header with %s", err, strings.Join(columns, ","))
	}
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for k, cell := range rows[i].Fields {
			rows[i].Fields[k] = strings.TrimSpace(cell) // between quotes, too
		}
	}
	t := &Table{Name: name, Header: rows[0].Fields, rows: rows}
	for _, row := range rows[1:] {
		t.Rows = append(t.Rows, row.Fields)
	}
	return t, t.check(columns)
}

func (t *Table) check(columns []string) error {
	for _, c := range columns {
		if !slices.Contains(t.Header, c) {
			return t.HeaderErrorf(0, "no column %q in the header %s", c, strings.Join(t.Header, ","))
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

// Line returns the line of the file in which a row begins.
func (t *Table) Line(row int) int { return t.rows[1+row].Line }

// Errorf returns an error at a cell.
func (t *Table) Errorf(row int, column, format string, args ...any) error {
	line, at := t.rows[1+row].Place(max(slices.Index(t.Header, column), 0))
	return fmt.Errorf("%s:%d:%d: %s: %s", t.Name, line, at, column, fmt.Sprintf(format, args...))
}

// HeaderErrorf returns an error at a name of the header.
func (t *Table) HeaderErrorf(column int, format string, args ...any) error {
	line, at := t.rows[0].Place(column)
	return fmt.Errorf("%s:%d:%d: %s", t.Name, line, at, fmt.Sprintf(format, args...))
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
