package read

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
)

// Line is one line of a text file, or a record of a table: as many lines as its fields
// between quotes have.
type Line struct {
	Source *Source
	Number int // of the first line, from 1
	Text   string
}

// Lines yields the lines that are not blank, without their line ends, up to the
// first that is too long, which err then names.
func (s *Source) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for n, text := range s.numbered() {
			if len(bytes.TrimSpace(text)) > 0 && !yield(Line{s, n, string(text)}) {
				return
			}
		}
	}
}

// Records is Lines for tables of commas, in which a field between quotes may go on in the
// next line (internal/csvtext).
func (s *Source) Records() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for n, text := range csvtext.Records(s.numbered()) {
			if strings.TrimSpace(text) != "" && !yield(Line{s, n, text}) {
				return
			}
		}
	}
}

// numbered yields all lines, each until the next is asked for.
func (s *Source) numbered() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for n := 1; ; n++ {
			text, any := s.nextLine()
			if len(text) > MaxText {
				s.fail(s.Errorf(n, 1, "line of more than %d bytes, expected at most that", MaxText))
				return
			}
			if !any || !yield(n, bytes.TrimSuffix(text, []byte("\r"))) {
				return
			}
		}
	}
}

// FirstRecord returns the first record of a table with its fields between commas alone, as
// Plain does; "" if there is none.
func (s *Source) FirstRecord() string {
	for l := range s.Beginning().Records() {
		return strings.TrimSpace(l.Plain())
	}
	return ""
}

// Plain returns a record without quotes: what stood between them, between commas. It is for
// recognising headers and patterns; a field with a comma is then two.
func (l Line) Plain() string {
	if strings.IndexByte(l.Text, '"') < 0 {
		return l.Text
	}
	fields, _, bad := csvtext.Split(l.Text, 8)
	if bad != nil {
		return l.Text
	}
	return strings.Join(fields, ",")
}

// Fields cuts a record at its commas into exactly n fields, or any number if n is 0, as RFC
// 4180 says. It returns the column of each, as ErrorAt expects it.
func (l Line) Fields(n int) (text []string, column []int, err error) {
	text, column, bad := csvtext.Split(l.Text, max(n, 4))
	switch {
	case bad != nil:
		return nil, nil, l.ErrorAt(bad.At+1, "%s", bad.Msg)
	case len(l.Text) > MaxToken:
		return nil, nil, l.ErrorAt(1, "line of %d bytes, expected at most %d", len(l.Text), MaxToken)
	case n > 0 && len(text) != n:
		return nil, nil, l.ErrorAt(1, "%d fields in %s, expected %d", len(text), Quote(l.Text), n)
	}
	for i := range column {
		column[i]++
	}
	return text, column, nil
}

// Row is a record that was cut into its fields. The first that cannot be read is the error of the row; what is read
// after it does not count.
type Row struct {
	Line
	Text   []string // of the fields
	column []int
	Err    error
}

// Row cuts a record as Fields does.
func (l Line) Row(n int) *Row {
	r := &Row{Line: l}
	r.Text, r.column, r.Err = l.Fields(n)
	return r
}

// Column returns the column of a field, as ErrorAt expects it.
func (r *Row) Column(field int) int { return r.column[field] }

// Fail complains about a field, unless there was a complaint before.
func (r *Row) Fail(field int, format string, args ...any) {
	if r.Err == nil {
		r.Err = r.ErrorAt(r.column[field], format, args...)
	}
}

// Field reads a field of a row by parse; complaint is what to say of one that cannot be read, with its text and why.
func Field[T any](r *Row, field int, complaint string, parse func(string) (T, error)) (x T) {
	if r.Err != nil {
		return x
	}
	x, err := parse(r.Text[field])
	if err != nil {
		r.Fail(field, complaint, Quote(r.Text[field]), err)
	}
	return x
}

// Name reads a field that names something.
func (r *Row) Name(field int, complaint string) string {
	return Field(r, field, complaint, func(text string) (string, error) { return text, CheckName(text) })
}

// Split cuts a line at a separator into one of n fields without blanks around them; quotes
// mean nothing. It returns the column of each.
func (l Line) Split(separator string, n ...int) (text []string, column []int, err error) {
	if len(l.Text) > MaxLine {
		return nil, nil, l.ErrorAt(1, "line of %d bytes, expected at most %d", len(l.Text), MaxLine)
	}
	text = strings.Split(l.Text, separator)
	if !slices.Contains(n, len(text)) {
		return nil, nil, l.ErrorAt(1, "%d fields in %s, expected %d", len(text), Quote(l.Text), n[0])
	}
	at := 1
	for i, t := range text {
		blank := len(t) - len(strings.TrimLeft(t, " \t"))
		column = append(column, at+blank)
		at += len(t) + 1
		text[i] = strings.TrimSpace(t)
	}
	return text, column, nil
}

// Errorf complains about the line as a whole.
func (l Line) Errorf(format string, args ...any) error { return l.ErrorAt(1, format, args...) }

// ErrorAt complains about the text at a column of the line, from 1; a record of several
// lines is counted through.
func (l Line) ErrorAt(column int, format string, args ...any) error {
	number, column := l.Place(column)
	return l.Source.Errorf(number, column, format, args...)
}

// Place returns the line and the column in the file of a column of the line.
func (l Line) Place(column int) (int, int) { return csvtext.Place(l.Text, l.Number, column-1) }
