package read

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
)

// Row is a record whose fields have names: of a table, of a line that was cut, or of an object of JSON. The first field
// that cannot be read is the error of the row; what is read after it does not count.
type Row struct {
	Source        *Source
	csvtext.Place // where the record begins
	csvtext.Row
	Names []string // of the fields
	Err   error
}

// Rows yields the records of a table of commas, as RFC 4180 says. Their fields have these names; without names there
// may be any number of them. A text that is no table, or a record with other fields, is the error of the last row. A
// row is good until the next.
func (s *Source) Rows(names ...string) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		in := csvtext.NewReader(s)
		var row Row
		for {
			record, err := in.Next()
			var bad *csvtext.Error
			if errors.As(err, &bad) {
				yield(&Row{Source: s, Place: bad.Place, Err: s.Errorf(bad.Line, bad.Column, "%s", bad.Msg)})
				return
			}
			if err != nil { // the end, or an error that the source keeps
				return
			}
			row = Row{Source: s, Row: *record, Place: csvtext.Place{Line: record.Places[0].Line, Column: 1}}
			row.SetNames(names)
			if !yield(&row) || row.Err != nil {
				return
			}
		}
	}
}

// SetNames gives the fields their names, of which there must be as many; none: they have none.
func (r *Row) SetNames(names []string) {
	r.Names = names
	if r.Err == nil && len(names) > 0 && len(r.Fields) != len(names) {
		r.Err = r.Errorf("", "%d fields in %s, expected %d", len(r.Fields), Quote(r.Joined()), len(names))
	}
}

// Table yields the rows below the header of a table of commas, which gives their fields their names. A header with a
// name twice or without the needed ones, and a table without rows, are the error of the only row.
func (s *Source) Table(needed ...string) iter.Seq[*Row] { return s.headed(s.Rows(), needed) }

// SplitTable is Table of lines that are cut at a separator.
func (s *Source) SplitTable(separator string, needed ...string) iter.Seq[*Row] {
	lines := func(yield func(*Row) bool) {
		for l := range s.Lines() {
			if !yield(l.Split(separator)) {
				return
			}
		}
	}
	return s.headed(lines, needed)
}

// headed yields the rows below the first, the header.
func (s *Source) headed(all iter.Seq[*Row], needed []string) iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		var names []string
		rows := 0
		for row := range all {
			isHeader := names == nil && row.Err == nil
			if isHeader {
				names = slices.Clone(row.Fields)
				row.checkHeader(needed)
			}
			row.SetNames(names)
			if isHeader && row.Err == nil {
				continue
			}
			rows++
			if !yield(row) || row.Err != nil {
				return
			}
		}
		if rows == 0 && s.err == nil {
			yield(&Row{Source: s, Err: s.Errorf(0, 0, "has no row below the header")})
		}
	}
}

// checkHeader complains of names that are there twice, or that are needed and are not.
func (r *Row) checkHeader(needed []string) {
	for i, name := range r.Fields {
		if slices.Contains(r.Fields[:i], name) {
			place := r.Places[i]
			r.Err = r.Source.Errorf(place.Line, place.Column, "column %s is there twice in the header", Quote(name))
			return
		}
	}
	for _, name := range needed {
		if !slices.Contains(r.Fields, name) {
			r.Err = r.Errorf("", "header %s has no column %s, expected %s%s", Quote(r.Joined()), name,
				strings.Join(needed, ","), csvtext.Semicolons(r.Joined()))
			return
		}
	}
}

// Joined returns the fields between commas.
func (r *Row) Joined() string { return strings.Join(r.Fields, ",") }

// Add adds a field.
func (r *Row) Add(name, text string, line, column int) {
	r.Names = append(r.Names, name)
	r.Fields = append(r.Fields, text)
	r.Places = append(r.Places, csvtext.Place{Line: line, Column: column})
}

// Text returns a field, "" where it is not there.
func (r *Row) Text(name string) string {
	if i := slices.Index(r.Names, name); i >= 0 && i < len(r.Fields) {
		return r.Fields[i]
	}
	return ""
}

// Has reports whether a field is there and not empty.
func (r *Row) Has(name string) bool { return r.Text(name) != "" }

// First returns the first of the names whose field is there and not empty; the first where none is.
func (r *Row) First(names ...string) string {
	for _, name := range names {
		if r.Has(name) {
			return name
		}
	}
	return names[0]
}

// Errorf complains about a field, or about the row where it is not there.
func (r *Row) Errorf(name, format string, args ...any) error {
	at := r.Place
	if i := slices.Index(r.Names, name); i >= 0 && i < len(r.Places) {
		at = r.Places[i]
	}
	return r.Source.Errorf(at.Line, at.Column, format, args...)
}

// Fail complains about a field with its text and why, unless there was a complaint before.
func (r *Row) Fail(name string, why error) {
	if r.Err == nil {
		r.Err = r.Errorf(name, "%s", Complaint(name, r.Text(name), why))
	}
}

// Complaint says what cannot be read, its text and why.
func Complaint(what, text string, why error) string {
	joint := " "
	if strings.HasPrefix(why.Error(), "expected") {
		joint = ", "
	}
	return what + " " + Quote(text) + joint + why.Error()
}

// Field reads a field by parse.
func Field[T any](r *Row, name string, parse func(string) (T, error)) (value T) {
	if r.Err != nil {
		return value
	}
	value, err := parse(r.Text(name))
	if err != nil {
		r.Fail(name, err)
	}
	return value
}

// Maybe reads a field by parse, nil where it is empty or not there.
func Maybe[T any](r *Row, name string, parse func(string) (T, error)) *T {
	if r.Err != nil || !r.Has(name) {
		return nil
	}
	return new(Field(r, name, parse))
}

// Name reads a field that names something.
func (r *Row) Name(name string) string { return Field(r, name, ParseName) }

// MaybeName reads a field that names something, or is empty or not there.
func (r *Row) MaybeName(name string) string {
	if !r.Has(name) {
		return ""
	}
	return r.Name(name)
}
