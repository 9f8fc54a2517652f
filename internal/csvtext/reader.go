// Package csvtext reads tables of commas (RFC 4180, with encoding/csv) and knows where in the text each field stands.
// Every reader of such tables in marigram is this one: [Reader] takes record after record, [Read] a small table whole.
//
// Blanks around a field are no part of it. A quote within a field that does not begin with one is an error: such text
// means different things to other readers.
package csvtext

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxRecord is the longest record, in bytes. What is longer is a quote whose end is missing: it must not take the rest
// of a file into memory.
const MaxRecord = 64 << 10

// Place is a place in a file: line and column from 1, the column in bytes.
type Place struct{ Line, Column int }

// Row is a record, and where its fields begin.
type Row struct {
	Fields []string
	Places []Place
}

// Error is what keeps a text from being a table, and where.
type Error struct {
	Place
	Msg string
}

// Error returns what is wrong, without the place.
func (e *Error) Error() string { return e.Msg }

// Reader reads the records of a table.
type Reader struct {
	in   recordLimit
	csv  *csv.Reader
	row  Row
	next int // the line behind the record before
}

// NewReader returns a reader of a table of any size, of which it holds one record.
func NewReader(in io.Reader) *Reader {
	r := &Reader{in: recordLimit{in: in}, next: 1}
	r.csv = csv.NewReader(&r.in)
	r.csv.FieldsPerRecord = -1
	r.csv.TrimLeadingSpace = true
	r.csv.ReuseRecord = true
	return r
}

// Next returns the next record that is not blank; it is good until the next call. Behind the last the error is io.EOF.
// A text that is no table has an *Error; others are of reading.
func (r *Reader) Next() (*Row, error) {
	for {
		r.in.end = r.csv.InputOffset() + MaxRecord
		fields, err := r.csv.Read()
		if errors.Is(err, errLong) || r.csv.InputOffset() > r.in.end {
			return nil, &Error{Place{r.next, 1}, fmt.Sprintf("a record of more than %d bytes, expected at most that; "+
				"is the end of a quote missing?", MaxRecord)}
		}
		if err != nil {
			return nil, placed(err)
		}
		r.take(fields)
		if len(fields) > 1 || fields[0] != "" {
			return &r.row, nil
		}
	}
}

// take notes the places of a record.
func (r *Reader) take(fields []string) {
	r.row.Fields = fields
	r.row.Places = r.row.Places[:0]
	for i, field := range fields {
		line, column := r.csv.FieldPos(i)
		r.row.Places = append(r.row.Places, Place{line, column})
		r.next = line + 1 + strings.Count(field, "\n")
		fields[i] = strings.TrimSpace(field) // those in quotes, too
	}
}

// placed returns an error of encoding/csv in our words.
func placed(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	msg := "a quote within a field that does not begin with one, " +
		"expected the whole field between quotes, and each quote in it written twice"
	if errors.Is(bad.Err, csv.ErrQuote) {
		msg = "a field in quotes that does not end before a comma or the end of a line, " +
			"expected its last quote there, and each quote in it written twice"
	}
	if bad.StartLine != bad.Line {
		msg += fmt.Sprintf(" (the record begins in line %d)", bad.StartLine)
	}
	return &Error{Place{bad.Line, bad.Column}, msg}
}

// recordLimit is a text that ends with errLong where the record under way is too long.
type recordLimit struct {
	in   io.Reader
	read int64 // bytes so far
	end  int64 // where the record must have ended
}

var errLong = errors.New("too long")

// Read implements io.Reader.
func (l *recordLimit) Read(p []byte) (int, error) {
	if l.read > l.end {
		return 0, errLong
	}
	n, err := l.in.Read(p)
	l.read += int64(n)
	return n, err
}

// Semicolons returns what to say of a header that has semicolons where commas are expected, in parentheses after a
// blank, "" of one that has not. Spreadsheets write them in countries with a decimal comma.
func Semicolons(header string) string {
	if strings.Index(header, ";") < 1 || strings.ContainsAny(header, ",{\"\t") {
		return ""
	}
	return " (its fields are separated by semicolons, " +
		"expected commas: save it as CSV with commas, and numbers with points)"
}
