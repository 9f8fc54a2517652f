package calibrate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxTableBytes bounds a profile or coefficient file.
const maxTableBytes = 16 << 20

// table is a small CSV file with a header; its errors name file, line and column.
type table struct {
	name   string
	header []string
	rows   [][]string
	lines  []int
}

func readTable(name string, r io.Reader, columns ...string) (*table, error) {
	limited := &io.LimitedReader{R: r, N: maxTableBytes}
	in := csv.NewReader(limited)
	t := &table{name: name}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if t.header == nil {
			t.header = trimmed(row)
			continue
		}
		t.rows, t.lines = append(t.rows, trimmed(row)), append(t.lines, line)
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxTableBytes)
	}
	return t, t.check(columns)
}

func (t *table) check(columns []string) error {
	if t.header == nil {
		return fmt.Errorf("%s: the file is empty, expected a header with %s", t.name, strings.Join(columns, ","))
	}
	for _, c := range columns {
		if !slices.Contains(t.header, c) {
			return fmt.Errorf("%s:1: no column %q in the header %s", t.name, c, strings.Join(t.header, ","))
		}
	}
	if len(t.rows) == 0 {
		return fmt.Errorf("%s: no rows after the header", t.name)
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

// text returns a cell.
func (t *table) text(row int, column string) string {
	return t.rows[row][slices.Index(t.header, column)]
}

// number returns a cell as a finite number in [least, most].
func (t *table) number(row int, column string, least, most float64) (float64, error) {
	s := t.text(row, column)
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < least || x > most {
		return 0, t.errorf(row, column, "%q, expected a number from %v to %v", s, least, most)
	}
	return x, nil
}

// count returns a cell as a whole number in [least, most].
func (t *table) count(row int, column string, least, most int) (int, error) {
	s := t.text(row, column)
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, t.errorf(row, column, "%q, expected a whole number from %d to %d", s, least, most)
	}
	return n, nil
}

func (t *table) errorf(row int, column, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s: %s", t.name, t.lines[row], column, fmt.Sprintf(format, args...))
}

func openTable[T any](path string, read func(string, io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(path, f)
}
