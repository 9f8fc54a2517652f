package pools

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// lifetimesFormat reads a sheet of lifetimes in sections.
var lifetimesFormat = formats.Format{
	Name: "lifetime-csv",
	What: "a sheet of lifetimes in sections headed by a GPU (cake-lab's lifetime.csv): `name,start,end` as " +
		"M/D/YY HH:MM of an unknown time zone, or a length HH:MM:SS alone or behind a name. The clock is " +
		"relative: dated rows keep their distances, each undated one begins at 0. " +
		"Why a machine ended is not recorded; rows with a missing cell, an end before its start or more than a " +
		"year are left out and counted",
	Example: "K80,,\nVM name,Start,Terminate\na-us-west1-b-0,2/18/19 23:40,2/20/19 00:02",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		n := 0
		for l := range s.Records() {
			if n++; n == 2 {
				return strings.HasPrefix(l.Plain(), lifeHeader+",")
			}
		}
		return false
	},
	New: func(b *formats.Builder) formats.Importer { return lifetimes{b} },
}

func (b lifetimes) Read(s *read.Source) error {
	var lifetimes []lifetime
	var corrupt []string
	gpu := ""
	for l := range s.Records() {
		x, err := lifeLine(l, &gpu)
		switch {
		case err == errNoLife:
			continue
		case err == errCorrupt:
			corrupt = append(corrupt, fmt.Sprintf("%s: left out: line %d %s", s.Stem(), l.Number, read.Quote(l.Text)))
			continue
		case err != nil:
			return err
		}
		lifetimes = append(lifetimes, x)
	}
	if len(lifetimes) == 0 {
		return s.Errorf(0, 0, "has no lifetime that can be, expected rows below the headings")
	}
	b.Report.Corrupt += len(corrupt)
	b.Report.Rows += len(corrupt)
	b.NoteFirst(s, corrupt, "rows are left out")
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsLifetimes
	b.addLifetimes(s, lifetimes)
	return nil
}

// addLifetimes makes two events of every life. What is dated counts from the first
// start.
func (b lifetimes) addLifetimes(s *read.Source, lifetimes []lifetime) {
	first := int64(-1)
	for _, x := range lifetimes {
		if x.dated && (first < 0 || x.start < first) {
			first = x.start
		}
	}
	if first >= 0 {
		b.Notef("%s: dated rows count from %s of an unknown time zone", s.Stem(), traces.Stamp(first)[:16])
	}
	b.Notef("why machines ended is not recorded: counted as taken")
	origin := b.Beginning(s)
	names := map[string]bool{}
	for _, x := range lifetimes {
		grain := int64(1e6)
		if x.dated {
			x.start, x.end, grain = x.start-first, x.end-first, 60e6
		}
		b.addLife(s, &x, origin, grain, names)
	}
}

// addLife adds one life. A machine without a name, or with one that was used,
// gets that of its line.
func (b lifetimes) addLife(s *read.Source, x *lifetime, origin, grain int64, names map[string]bool) {
	if x.name == "" || names[x.name] {
		x.name = fmt.Sprintf("%.100s line %d", x.name, x.line)
	}
	names[x.name] = true
	e := traces.InstanceEventRow{
		T: origin + x.start, UncertainUs: grain, SrcFile: s.Index, SrcRow: int64(x.line), Origin: traces.OriginDerived,
		PoolID:     b.ZonePool(traces.Pool{Zone: zoneInName().FindString(x.name), GPUType: x.gpu}),
		InstanceID: x.name, Kind: traces.KindLaunch, Reason: traces.ReasonUnknown,
	}
	gone := e
	gone.T, gone.Kind = origin+x.end, traces.KindTerminate
	b.AddEvents(e, gone)
}

// lifetimes reads sheets.
type lifetimes struct{ *formats.Builder }

var (
	lifeDuration = read.Pattern(`^(\d{1,9}):(\d\d):(\d\d)$`)
	zoneInName   = read.Pattern(`(?:us|europe|asia|australia|northamerica|southamerica|africa|me)-[a-z]+\d{1,2}-[a-z]`)
)

const (
	lifeHeader  = "VM name"
	lifeDate    = "1/2/06 15:04"
	maxLifetime = 365 * 24 * time.Hour // no machine of a spot market lives longer; a cell that says so is corrupt
)

// lifetime is one row.
type lifetime struct {
	line       int
	name, gpu  string
	start, end int64 // us: of the calendar, or from 0
	dated      bool
}

// lifeLine reads a line: a life, or a heading, of which it notes the GPU.
func lifeLine(l read.Line, gpu *string) (lifetime, error) {
	f, column, err := l.Fields(0)
	if err != nil {
		return lifetime{}, err
	}
	for len(f) > 0 && f[len(f)-1] == "" {
		f = f[:len(f)-1]
	}
	switch {
	case len(f) == 0 || f[0] == lifeHeader:
		return lifetime{}, errNoLife
	case len(f) > 3:
		return lifetime{}, l.ErrorAt(column[3], "%s, expected at most a name, a start and an end", read.Quote(f[3]))
	case len(f) == 1 && !strings.Contains(f[0], ":"):
		if err := read.CheckName(f[0]); err != nil {
			return lifetime{}, l.ErrorAt(column[0], "heading %s, %v", read.Quote(f[0]), err)
		}
		*gpu = f[0]
		return lifetime{}, errNoLife
	case *gpu == "":
		return lifetime{}, l.ErrorAt(1, "%s before a heading, expected a GPU first", read.Quote(l.Text))
	}
	x := lifetime{line: l.Number, gpu: *gpu}
	last := len(f) - 1
	if last > 0 {
		if x.name = f[0]; read.CheckName(x.name) != nil {
			return x, l.ErrorAt(column[0], "machine %s, %v", read.Quote(x.name), read.CheckName(x.name))
		}
	}
	if strings.Count(f[last], ":") == 2 && (last < 2 || f[1] == "") {
		x.end, err = lifeLength(f[last])
	} else {
		err = x.dates(l, f, column)
	}
	if err == errBadLife {
		err = l.ErrorAt(column[last], "%s, expected a length HH:MM:SS", read.Quote(f[last]))
	}
	return x, err
}

// dates reads start and end of the calendar.
func (x *lifetime) dates(l read.Line, f []string, column []int) error {
	x.dated = true
	if len(f) < 3 || f[1] == "" {
		for i := 1; i < len(f); i++ {
			if _, err := time.Parse(lifeDate, f[i]); err != nil && f[i] != "" {
				return l.ErrorAt(column[i], "%s, expected for instance 2/18/19 23:40 or 24:05:13", read.Quote(f[i]))
			}
		}
		return errCorrupt
	}
	for i, into := range []*int64{&x.start, &x.end} {
		t, err := time.Parse(lifeDate, f[1+i])
		if err != nil {
			return l.ErrorAt(column[1+i], "%s, expected for instance 2/18/19 23:40", read.Quote(f[1+i]))
		}
		if *into, err = traces.Instant(t); err != nil {
			return l.ErrorAt(column[1+i], "%s %v", read.Quote(f[1+i]), err)
		}
	}
	if x.end < x.start || x.end-x.start > maxLifetime.Microseconds() {
		return errCorrupt
	}
	return nil
}

// lifeLength reads HH:MM:SS in us.
func lifeLength(text string) (int64, error) {
	m := lifeDuration().FindStringSubmatch(text)
	if m == nil {
		return 0, errBadLife
	}
	h, _ := strconv.ParseInt(m[1], 10, 64)
	min, _ := strconv.ParseInt(m[2], 10, 64)
	sec, _ := strconv.ParseInt(m[3], 10, 64)
	us := ((h*60+min)*60 + sec) * 1e6
	if min > 59 || sec > 59 || us > maxLifetime.Microseconds() {
		return 0, errCorrupt
	}
	return us, nil
}

var (
	errNoLife  = errors.New("a heading")
	errCorrupt = errors.New("a cell that cannot be")
	errBadLife = errors.New("not a length")
)
