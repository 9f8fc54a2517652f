package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/inputfile"
)

// MaxBytes bounds a profile or coefficient file.
const MaxBytes = 16 << 20

// Table is a small CSV file with a header; its errors name file, line and column.
type Table struct {
	Name   string     // of the file, for errors
	Header []string   // names of the columns
	Rows   [][]string // cells by row and column, without space around them
	Lines  []int      // of the file, by row
}

// Read reads a table that has the columns, in any order and with others between,
// and at least one row. name is for errors.
func Read(name string, r io.Reader, columns ...string) (*Table, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes}
	in := csv.NewReader(limited)
	t := &Table{Name: name}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if t.Header == nil {
			t.Header = trimmed(row)
			continue
		}
		t.Rows, t.Lines = append(t.Rows, trimmed(row)), append(t.Lines, line)
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, MaxBytes)
	}
	return t, t.check(columns)
}

func (t *Table) check(columns []string) error {
	if t.Header == nil {
		return fmt.Errorf("%s: the file is empty, expected a header with %s", t.Name, strings.Join(columns, ","))
	}
	for _, c := range columns {
		if !slices.Contains(t.Header, c) {
			return fmt.Errorf("%s:1: no column %q in the header %s", t.Name, c, strings.Join(t.Header, ","))
		}
	}
	if len(t.Rows) == 0 {
		return fmt.Errorf("%s: no rows after the header", t.Name)
	}
	return nil
}

func trimmed(row []string) []string {
	out := make([]string, len(row))
	for i, s := range row {
		out[i] = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	}
	return out
}

// Text returns a cell.
func (t *Table) Text(row int, column string) string {
	return t.Rows[row][slices.Index(t.Header, column)]
}

// Number returns a cell as a finite number in [least, most].
func (t *Table) Number(row int, column string, least, most float64) (float64, error) {
	s := t.Text(row, column)
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < least || x > most {
		return 0, t.Errorf(row, column, "%q, expected a number from %v to %v", s, least, most)
	}
	return x, nil
}

// Count returns a cell as a whole number in [least, most].
func (t *Table) Count(row int, column string, least, most int) (int, error) {
	s := t.Text(row, column)
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, t.Errorf(row, column, "%q, expected a whole number from %d to %d", s, least, most)
	}
	return n, nil
}

// Errorf returns an error at a cell.
func (t *Table) Errorf(row int, column, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s: %s", t.Name, t.Lines[row], column, fmt.Sprintf(format, args...))
}

// Open reads the file at path with read, which gets its name.
func Open[T any](path string, read func(string, io.Reader) (T, error)) (T, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(path, f)
}
