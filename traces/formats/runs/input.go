package runs

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// input is one file that is read.
type input struct{ *formats.RunFile }

// How well formats are known.
const (
	fromDocumentation = "the vendor's documentation; tried on samples made after it only"
	fromCode          = "the tool's public code; tried on samples made after it only"
	fromThread        = "a public thread of its developers; tried on samples made after it only"
	fromMemory        = "memory, not checked against the documentation or a real record; tried on made samples only"
)

// rows reads records from a table with commas, or from JSON: objects one after the other or
// in an array.
func (in *input) rows(needs []string, each func(*record) error) error {
	if isJSON(in.Beginning()) {
		return in.objects(nil, nil, each)
	}
	return in.table(",", needs, each)
}

// rowsHave reports whether a file that rows reads has all of the fields.
func rowsHave(s *read.Source, names ...string) bool {
	if !isJSON(s) {
		return hasColumns(s, ",", names...)
	}
	r := firstObject(s)
	for _, name := range names {
		if r == nil {
			return false
		}
		if _, ok := r.cells[name]; !ok {
			return false
		}
	}
	return true
}

// table reads a table with a header: fields between commas (which may be quoted), or between
// another separator.
func (in *input) table(separator string, needs []string, each func(*record) error) error {
	var header []string
	for l := range tableRows(in.Source, separator) {
		fields, columns, err := split(l, separator, len(header))
		if err != nil {
			return err
		}
		if header == nil {
			header = slices.Clone(fields)
			if err := checkHeader(l, header, columns, needs); err != nil {
				return err
			}
			continue
		}
		r := record{in: in, line: l.Number, column: 1, cells: make(map[string]cell, len(fields))}
		for i, text := range fields {
			line, column := l.Place(columns[i])
			r.cells[header[i]] = cell{text, line, column}
		}
		if err := each(&r); err != nil {
			return err
		}
	}
	return nil
}

// tableRows are the lines of a table, or the records of one with commas.
func tableRows(s *read.Source, separator string) iter.Seq[read.Line] {
	if separator == "," {
		return s.Records()
	}
	return s.Lines()
}

// split cuts a line into n fields, of any number if n is 0.
func split(l read.Line, separator string, n int) ([]string, []int, error) {
	if separator == "," {
		return l.Fields(n)
	}
	if n == 0 {
		n = strings.Count(l.Text, separator) + 1
	}
	return l.Split(separator, n)
}

// checkHeader complains of names that are there twice, or that are needed and are not.
func checkHeader(l read.Line, header []string, columns []int, needs []string) error {
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return l.ErrorAt(columns[i], "column %s is there twice", read.Quote(name))
		}
	}
	for _, name := range needs {
		if !slices.Contains(header, name) {
			return l.ErrorAt(1, "no column %s, expected one; the columns are %s", name, read.Quote(strings.Join(header, ",")))
		}
	}
	return nil
}

// header is the names of the first line, whatever separates them.
func header(s *read.Source, separator string) []string {
	for l := range tableRows(s, separator) {
		fields, _, err := split(l, separator, 0)
		if err != nil {
			return nil
		}
		return fields
	}
	return nil
}

// hasColumns reports whether the first line of a file names the columns.
func hasColumns(s *read.Source, separator string, names ...string) bool {
	have := header(s, separator)
	for _, name := range names {
		if !slices.Contains(have, name) {
			return false
		}
	}
	return true
}

// cell is one value of a record: the text of a field, or of a value of JSON.
type cell struct {
	text         string
	line, column int
}

// record is one line of a table, or one object of a list, by the names of its fields. The
// name of a value within objects is the path to it: detail.instance-id, resources.0.
type record struct {
	in           *input
	line, column int
	cells        map[string]cell
}

// has reports whether a field is there and not empty.
func (r *record) has(name string) bool { return r.cells[name].text != "" }

// text is a field, empty where it is not there.
func (r *record) text(name string) string { return r.cells[name].text }

// first is the first of the names that is there; the first where none is.
func (r *record) first(names ...string) string {
	for _, name := range names {
		if r.has(name) {
			return name
		}
	}
	return names[0]
}

// errorf complains about a field, or about the record where it is not there.
func (r *record) errorf(name, format string, args ...any) error {
	c, ok := r.cells[name]
	if !ok {
		c = cell{line: r.line, column: r.column}
	}
	return r.in.Errorf(c.line, c.column, format, args...)
}

// name is a field that names something, empty where it is not there.
func (r *record) name(field string) (string, error) {
	text := r.text(field)
	if err := read.CheckName(text); text != "" && err != nil {
		return "", r.errorf(field, "%s %s, %v", field, read.Quote(text), err)
	}
	return strings.Clone(text), nil
}

// number is a field with a number from lo to hi, NaN where it is empty.
func (r *record) number(field string, lo, hi float64) (float64, error) {
	text := r.text(field)
	if text == "" {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= lo && x <= hi) || strings.ContainsAny(text, "_xX") {
		return 0, r.errorf(field, "%s %s, expected a number from %g to %g", field, read.Quote(text), lo, hi)
	}
	return x, nil
}

// layouts are how calendars write instants; those without a zone take the input's.
var layouts = []struct {
	text string
	zone bool
}{
	{time.RFC3339Nano, true}, {"2006-01-02 15:04:05.999999999Z07:00", true}, {"2006-01-02 15:04:05.999999999Z07", true},
	{"2006-01-02 15:04:05.999999999 MST", true}, {"2006-01-02T15:04:05.999999999", false}, {"2006-01-02 15:04:05.999999999", false},
}

// instant is a field with an instant: a calendar's, or seconds since 1970. Finer parts than
// a microsecond are cut. An empty field is an error.
func (r *record) instant(field string) (int64, error) {
	text := r.text(field)
	us, err := r.in.when(text)
	if err != nil {
		return 0, r.errorf(field, "%s %s, expected an instant from 1970 to 2199: RFC 3339, 2026-01-02 03:04:05, or seconds since 1970",
			field, read.Quote(text))
	}
	return us, nil
}

// when reads an instant.
func (in *input) when(text string) (int64, error) {
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		whole, part, _ := strings.Cut(text, ".")
		return read.Seconds(whole + "." + (part + "000000")[:6])
	}
	var bad error
	for _, l := range layouts {
		t, err := time.ParseInLocation(l.text, text, in.location())
		if err != nil {
			bad = err
			continue
		}
		if strings.HasSuffix(l.text, "MST") && !strings.HasSuffix(text, "UTC") && !strings.HasSuffix(text, "GMT") {
			return 0, errZone // other letters are no zones for sure
		}
		in.Zoneless = in.Zoneless || !l.zone
		return traces.Instant(t.UTC().Truncate(time.Microsecond))
	}
	return 0, bad
}

var errZone = &traces.DataError{Msg: "a zone by its letters"}

func (in *input) location() *time.Location {
	if in.Options.Location == nil {
		return time.UTC
	}
	return in.Options.Location
}

// event is an event at the place of a record.
func (r *record) event(at int64, kind ownruns.Kind) ownruns.Event {
	return ownruns.Event{T: at, Kind: kind, Value: math.NaN(), Line: int32(min(r.line, math.MaxInt32))}
}
