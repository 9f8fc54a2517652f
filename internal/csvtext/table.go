package csvtext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/store"
)

// Row is a record of a small table, and where it stands.
type Row struct {
	Line   int // of the file, from 1
	Fields []string
	text   string
	at     []int
}

// Place returns the line and the column of a field.
func (r *Row) Place(field int) (line, column int) { return Place(r.text, r.Line, r.at[field]) }

// ReadAll reads a table of at most n bytes whose rows have as many fields as its
// first, the header. Blank lines are left out, and those that begin with comment, unless
// that is 0; so is a byte order mark. name is what errors call the file.
func ReadAll(name string, r io.Reader, largest int, comment byte) (rows []Row, err error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(largest)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > largest {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, largest)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for n, record := range Records(numbered(text)) {
		if blank := leading(record) == len(record); blank || comment != 0 && record[0] == comment {
			continue
		}
		row := Row{Line: n, text: record}
		var bad *Error
		if row.Fields, row.at, bad = Split(record, 8); bad != nil {
			line, column := Place(record, n, bad.At)
			return nil, fmt.Errorf("%s:%d:%d: %w", name, line, column, bad)
		}
		if len(rows) > 0 && len(row.Fields) != len(rows[0].Fields) {
			return nil, fmt.Errorf("%s:%d:1: %d fields, expected %d as in the header%s", name, n, len(row.Fields),
				len(rows[0].Fields), Semicolons(rows[0].text))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrEmpty)
	}
	return rows, nil
}

// Semicolons returns what to say of a header that has semicolons where commas are expected, in parentheses after a
// blank, "" of one that has not. Spreadsheets write them in countries with a decimal comma.
func Semicolons(header string) string {
	if strings.Index(header, ";") < 1 || strings.ContainsAny(header, ",{\"\t") {
		return ""
	}
	return " (its fields are separated by semicolons, expected commas: save it as CSV with commas, and numbers with points)"
}

// ErrEmpty is of a table without a record.
var ErrEmpty = errors.New("the file is empty")

// numbered yields the lines of a text, without their ends.
func numbered(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for line := range bytes.Lines(text) {
			n++
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if !yield(n, line) {
				return
			}
		}
	}
}

// MaxRecord is the longest record of several lines, in bytes. What is longer is a quote
// whose end is missing: it must not take the rest of a file into memory.
const MaxRecord = 64 << 10

// Records joins lines to records: a line goes on in the next where a field between quotes
// does. The lines are numbered and without their ends, which a record has as "\n" each,
// whatever they were; a record has the number of its first line. A record that grows
// beyond MaxRecord, or that the text ends in, is yielded as far as it goes: Split then says
// where the quote is that has no end.
func Records(lines iter.Seq2[int, []byte]) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var begun []byte // a record whose end has not come
		first := 0
		for n, line := range lines {
			goesOn := false
			switch {
			case begun != nil:
				goesOn = open(line, true)
				begun = append(append(begun, '\n'), line...)
			case open(line, false):
				goesOn, first = true, n
				begun = append(begun, line...)
			default:
				if !yield(n, string(line)) {
					return
				}
				continue
			}
			if goesOn && len(begun) <= MaxRecord {
				continue
			}
			if !yield(first, string(begun)) {
				return
			}
			begun = nil
		}
		if begun != nil {
			yield(first, string(begun))
		}
	}
}

// open reports whether a field between quotes goes on behind a line, which begins within
// such a field or not.
func open(line []byte, within bool) bool {
	for {
		if !within {
			if bytes.IndexByte(line, '"') < 0 { // as most are
				return false
			}
			if line = bytes.TrimLeft(line, blanks); line[0] != '"' {
				var more bool
				if _, line, more = bytes.Cut(line, []byte(",")); !more {
					return false
				}
				continue
			}
			line = line[1:]
		}
		end := bytes.IndexByte(line, '"')
		if end < 0 {
			return true
		}
		line = line[end+1:]
		if within = len(line) > 0 && line[0] == '"'; within { // two of them stand for one
			line = line[1:]
			continue
		}
		_, line, _ = bytes.Cut(line, []byte(","))
	}
}

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
