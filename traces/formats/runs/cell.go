package runs

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

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
