package runs

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

// rows reads records from a table with commas, or from JSON: objects one after the other or in an array.
func rows(s *read.Source, needed ...string) iter.Seq[*read.Row] {
	if isJSON(s.Beginning()) {
		return objects(s, nil, nil)
	}
	return s.Table(needed...)
}

// rowsHave reports whether a file that rows reads has all of the fields.
func rowsHave(s *read.Source, names ...string) bool {
	if !isJSON(s) {
		return s.HasColumns(names...)
	}
	r := firstObject(s)
	return r != nil && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.Names, name) })
}

// nameIn is a field that names something, or is empty or not there. It does not keep the row in memory.
func nameIn(r *read.Row, field string) string { return strings.Clone(r.MaybeName(field)) }

// numberIn is a field with a number from lo to hi, NaN where it is empty or not there.
func numberIn(r *read.Row, field string, lo, hi float64) float64 {
	if x := read.Maybe(r, field, read.Number(lo, hi)); x != nil {
		return *x
	}
	return math.NaN()
}

// layouts are how calendars write instants; those without a zone take the input's.
var layouts = []struct {
	text string
	zone bool
}{
	{time.RFC3339Nano, true},
	{"2006-01-02 15:04:05.999999999Z07:00", true},
	{"2006-01-02 15:04:05.999999999Z07", true},
	{"2006-01-02 15:04:05.999999999 MST", true},
	{"2006-01-02T15:04:05.999999999", false},
	{"2006-01-02 15:04:05.999999999", false},
}

var errInstant = errors.New("expected an instant from 1970 to 2199: " +
	"RFC 3339, 2026-01-02 03:04:05, or seconds since 1970")

// instantIn is a field with an instant: a calendar's, or seconds since 1970. Finer parts than
// a microsecond are cut. An empty field is an error.
func instantIn(in *formats.RunFile, r *read.Row, field string) int64 {
	return read.Field(r, field, func(text string) (int64, error) {
		us, err := when(in, text)
		if err != nil {
			return 0, errInstant
		}
		return us, nil
	})
}

// when reads an instant.
func when(in *formats.RunFile, text string) (int64, error) {
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		whole, part, _ := strings.Cut(text, ".")
		return read.Seconds(whole + "." + (part + "000000")[:6])
	}
	location := in.Options.Location
	if location == nil {
		location = time.UTC
	}
	for _, l := range layouts {
		t, err := time.ParseInLocation(l.text, text, location)
		if err != nil {
			continue
		}
		if strings.HasSuffix(l.text, "MST") && !strings.HasSuffix(text, "UTC") && !strings.HasSuffix(text, "GMT") {
			break // other letters are no zones for sure
		}
		in.Zoneless = in.Zoneless || !l.zone
		return traces.Instant(t.UTC().Truncate(time.Microsecond))
	}
	return 0, errInstant
}

// eventAt is an event at the place of a row.
func eventAt(r *read.Row, at int64, kind ownruns.Kind) ownruns.Event {
	e := ownruns.NewEvent(at, kind)
	e.Line = int32(min(r.Line, math.MaxInt32))
	return e
}
