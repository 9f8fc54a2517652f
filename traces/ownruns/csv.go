package ownruns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/registry"
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
	for l := range s.Records() {
		if !c.begun {
			if strings.TrimSpace(l.Plain()) != Header {
				return false, l.ErrorAt(1, "%s, expected the header %s", read.Quote(l.Text), Header)
			}
			c.begun = true
			continue
		}
		e, err := c.event(l)
		if err != nil {
			return false, err
		}
		c.rows++
		if c.rows > MaxEvents {
			return false, l.Errorf("more than %d events, expected at most that; cut the file into runs, or leave out steps", MaxEvents)
		}
		if err := each(&e); err != nil {
			return false, err
		}
	}
	switch {
	case s.Err() != nil:
		return false, s.Err()
	case !c.begun:
		return false, s.Errorf(0, 0, "is empty, expected the header %s", Header)
	case c.rows == 0:
		return false, s.Errorf(0, 0, "has no events after the header")
	}
	return c.clock == relativeClock, nil
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
	begun bool
	rows  int
	clock clock
	names map[string]string // each name once in memory
}

// event reads one line.
func (c *csvReader) event(l read.Line) (e Event, err error) {
	f, column, err := l.Fields(6)
	if err != nil {
		return e, err
	}
	e.Line = int32(min(l.Number, math.MaxInt32))
	var is clock
	e.T, is, err = instant(f[0])
	if err != nil {
		return e, l.ErrorAt(column[0], "time %s, %v", read.Quote(f[0]), err)
	}
	if c.clock == noClock {
		c.clock = is
	}
	if is != c.clock {
		return e, l.ErrorAt(column[0], "time %s counts from another beginning than the lines before, expected all times of a file "+
			"to be of the world, or all to be seconds since the run began", read.Quote(f[0]))
	}
	kind, known := KindNamed(f[1])
	if !known {
		return e, l.ErrorAt(column[1], "event %s%s", read.Quote(f[1]), nearKind(f[1]))
	}
	e.Kind = kind
	e.Type, e.OnDemand = strings.CutSuffix(f[3], onDemand)
	e.Instance = f[2]
	e.Zone = f[4]
	for i, name := range []*string{&e.Instance, &e.Type, &e.Zone} {
		if err := read.CheckName(*name); *name != "" && err != nil {
			return e, l.ErrorAt(column[2+i], "%s, %v", read.Quote(*name), err)
		}
		*name = c.once(*name)
	}
	e.Value, err = value(f[5])
	if err != nil {
		return e, l.ErrorAt(column[5], "value %s, %v", read.Quote(f[5]), err)
	}
	if err := kind.check(e.Value); err != nil {
		return e, l.ErrorAt(column[5], "value %s of %s, %v", read.Quote(f[5]), kind, err)
	}
	if err := e.whole(); err != nil {
		return e, l.ErrorAt(column[1], "%v", err)
	}
	return e, nil
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

var errTime = errors.New("expected RFC 3339 with a zone, for instance 2026-01-02T03:04:05Z, or seconds; from 1970 to 2199, to the microsecond")

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
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(text, "_xX") {
		return 0, fmt.Errorf("expected a decimal number, or nothing")
	}
	return x, nil
}

// nearKind names the kind that was meant, or all of them.
func nearKind(text string) string {
	var names []string
	for _, i := range Kinds() {
		names = append(names, i.Name)
	}
	if hint := registry.DidYouMean(", ", text, names); hint != "" {
		return hint
	}
	return ", expected one of: " + strings.Join(names, ", ")
}

// WriteCSV writes a run as the plain CSV, which ScanCSV gives back: the same events, with
// this file and its lines as their source. The run's name and notes are not in it.
func WriteCSV(w io.Writer, r *Run) error {
	b := bufio.NewWriter(w)
	b.WriteString(Header)
	b.WriteByte('\n')
	for i := range r.Events {
		e := &r.Events[i]
		kindOfMachine := e.Type
		if e.OnDemand {
			kindOfMachine += onDemand
		}
		value := ""
		if !math.IsNaN(e.Value) {
			value = number(e.Value)
		}
		for j, field := range []string{r.stamp(e.T), e.Kind.String(), e.Instance, kindOfMachine, e.Zone, value} {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(csvtext.Quote(field))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
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
