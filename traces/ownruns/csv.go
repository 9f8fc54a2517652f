package ownruns

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// Header is the first line of the plain CSV.
const Header = "time,event,instance,type,zone,value"

// EpochSeconds is where seconds in the column time change their meaning: smaller ones
// count from the run's own beginning, others from 1970 (it is a day of March 1973).
const EpochSeconds = 100_000_000

// ScanCSV reads the events of a run from the plain CSV: the line Header, then one event a line, in any
// order. The time is RFC 3339 with a zone, or seconds: below EpochSeconds since the run's
// own beginning, else since 1970; a file has times of one clock. The type of a machine on
// demand ends in ":on-demand". Columns of which an event says nothing are empty. Fields may
// be quoted as RFC 4180 says. It calls each for every event, in the
// order of the lines, and stops at its first error. The event is good until the next call.
// It reports whether the times count from the run's own beginning. Errors in the data are a *traces.DataError.
func ScanCSV(s *read.Source, each func(*Event) error) (relative bool, err error) {
	c := csvReader{names: map[string]string{}}
	if header := s.FirstRecord(); header != Header {
		return false, s.Errorf(1, 1, "%s, expected the header %s", read.Quote(header), Header)
	}
	for r := range s.Table() {
		e := c.event(r)
		if r.Err != nil {
			return false, r.Err
		}
		c.rows++
		if c.rows > MaxEvents {
			return false, r.Errorf("", "more than %d events, expected at most that; "+
				"cut the file into runs, or leave out steps", MaxEvents)
		}
		if err := each(&e); err != nil {
			return false, err
		}
	}
	return c.clock == relativeClock, s.Err()
}

// clock says from where times count.
type clock uint8

const (
	noClock clock = iota
	worldClock
	relativeClock
)

// csvReader is what is known from line to line.
type csvReader struct {
	rows  int
	clock clock
	names map[string]string // each name once in memory
}

// event reads one line.
func (c *csvReader) event(r *read.Row) Event {
	e := Event{Line: int32(min(r.Line, math.MaxInt32))}
	e.T = read.Field(r, "time", c.time)
	e.Kind = read.Field(r, "event", parseKind)
	e.Instance = c.once(r.MaybeName("instance"))
	e.Type, e.OnDemand = strings.CutSuffix(r.MaybeName("type"), onDemand)
	e.Type = c.once(e.Type)
	e.Zone = c.once(r.MaybeName("zone"))
	e.Value = read.Field(r, "value", func(text string) (float64, error) {
		x, err := value(text)
		if err == nil && r.Err == nil {
			err = e.Kind.check(x)
			if err != nil {
				err = fmt.Errorf("of %s, %w", e.Kind, err)
			}
		}
		return x, err
	})
	if r.Err == nil {
		if err := e.whole(); err != nil {
			r.Err = r.Errorf("event", "%v", err)
		}
	}
	return e
}

// time reads a time, which must be of the clock of those before.
func (c *csvReader) time(text string) (int64, error) {
	us, is, err := instant(text)
	if err != nil {
		return 0, err
	}
	if c.clock == noClock {
		c.clock = is
	}
	if is != c.clock {
		return 0, errors.New("counts from another beginning than the lines before, expected all times of a file " +
			"to be of the world, or all to be seconds since the run began")
	}
	return us, nil
}

// parseKind reads the name of a kind.
func parseKind(text string) (Kind, error) {
	if kind, known := KindNamed(text); known {
		return kind, nil
	}
	var names []string
	for _, i := range Kinds() {
		names = append(names, i.Name)
	}
	if hint := registry.DidYouMean("; ", text, names); hint != "" {
		return None, errors.New("expected an event of the plain CSV" + hint)
	}
	return None, errors.New("expected one of: " + strings.Join(names, ", "))
}

// once returns the one copy of a name.
func (c *csvReader) once(name string) string {
	if have, ok := c.names[name]; ok {
		return have
	}
	name = strings.Clone(name) // of the line
	c.names[name] = name
	return name
}

var errTime = errors.New("expected RFC 3339 with a zone, for instance 2026-01-02T03:04:05Z, or seconds; " +
	"from 1970 to 2199, to the microsecond")

// instant reads a time of the CSV.
func instant(text string) (us int64, is clock, err error) {
	if strings.ContainsAny(text, "T:") {
		us, err = read.Instant(text)
		if err != nil {
			return 0, noClock, errTime
		}
		return us, worldClock, nil
	}
	if us, err = read.Seconds(text); err != nil {
		return 0, noClock, errTime
	}
	if us >= EpochSeconds*1e6 {
		if us > traces.MaxInstant {
			return 0, noClock, errTime
		}
		return us, worldClock, nil
	}
	return us, relativeClock, nil
}

// value reads the column value, NaN where it is empty.
func value(text string) (float64, error) {
	if text == "" {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !stats.Finite(x) || strings.ContainsAny(text, "_xX") {
		return 0, fmt.Errorf("expected a decimal number, or nothing")
	}
	return x, nil
}

// WriteCSV writes a run as the plain CSV, which ScanCSV gives back: the same events, with
// this file and its lines as their source. The run's name and notes are not in it.
func WriteCSV(w io.Writer, r *Run) error {
	out := csv.NewWriter(w)
	out.Write(strings.Split(Header, ","))
	for i := range r.Events {
		e := &r.Events[i]
		machine := e.Type
		if e.OnDemand {
			machine += onDemand
		}
		value := ""
		if !math.IsNaN(e.Value) {
			value = number(e.Value)
		}
		out.Write([]string{r.stamp(e.T), e.Kind.String(), e.Instance, machine, e.Zone, value})
	}
	out.Flush()
	return out.Error()
}

// stamp is an instant as the CSV has it.
func (r *Run) stamp(us int64) string {
	if !r.Relative {
		return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	}
	text := strconv.FormatInt(us/1e6, 10)
	if part := us % 1e6; part != 0 {
		digits := strconv.FormatInt(1e6+part, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return text
}
