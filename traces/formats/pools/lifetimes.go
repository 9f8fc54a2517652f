package pools

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
	Example:   "K80,,\nVM name,Start,Terminate\na-us-west1-b-0,2/18/19 23:40,2/20/19 00:02",
	Version:   1,
	Clock:     traces.ClockRelative,
	Semantics: traces.SemanticsLifetimes,
	Recognise: func(s *read.Source) bool {
		n := 0
		for r := range s.Rows() {
			if n++; n == 2 {
				return r.Err == nil && len(r.Fields) > 1 && r.Fields[0] == lifeHeader
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
	for r := range s.Rows() {
		x, err := lifeRow(r, &gpu)
		switch err {
		case nil:
			lifetimes = append(lifetimes, x)
		case errNoLife:
		case errCorrupt:
			corrupt = append(corrupt, fmt.Sprintf("%s: left out: line %d %s", s.Stem(), r.Line, read.Quote(r.Joined())))
		default:
			return err
		}
	}
	if len(lifetimes) == 0 {
		return s.Errorf(0, 0, "has no lifetime that can be, expected rows below the headings")
	}
	b.Report.Corrupt += len(corrupt)
	b.Report.Rows += len(corrupt)
	b.NoteFirst(s, corrupt, "rows are left out")
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
			x.start = x.start - first
			x.end = x.end - first
			grain = 60e6
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
	gone.T = origin + x.end
	gone.Kind = traces.KindTerminate
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
	maxLifetime = 365 * 24 * time.Hour // no machine of a spot market lives longer; a cell that says so is corrupt
)

// lifetime is one row.
type lifetime struct {
	line       int
	name, gpu  string
	start, end int64 // us: of the calendar, or from 0
	dated      bool
}

// lifeColumns are the names of the fields of a life, by their number.
var lifeColumns = [][]string{1: {"end"}, 2: {"name", "end"}, 3: {"name", "start", "end"}}

var (
	errNoLife  = errors.New("a heading")
	errCorrupt = errors.New("a cell that cannot be")
)

// lifeRow reads a row: a life, or a heading, of which it notes the GPU. The end is a date, or a length of time.
func lifeRow(r *read.Row, gpu *string) (x lifetime, err error) {
	n := len(r.Fields) // up to the last that is not empty
	for n > 0 && r.Fields[n-1] == "" {
		n--
	}
	switch {
	case r.Err != nil:
		return x, r.Err
	case n == 0 || r.Fields[0] == lifeHeader:
		return x, errNoLife
	case n >= len(lifeColumns):
		return x, r.Errorf("", "%d cells, expected at most a name, a start and an end", n)
	case n == 1 && !strings.Contains(r.Fields[0], ":"):
		r.Names = []string{"heading"}
		*gpu = r.Name("heading")
		return x, cmp.Or(r.Err, errNoLife)
	case *gpu == "":
		return x, r.Errorf("", "%s before a heading, expected a GPU first", read.Quote(r.Joined()))
	}
	r.Names = lifeColumns[n]
	x = lifetime{line: r.Line, gpu: *gpu}
	if n > 1 {
		x.name = r.Name("name")
	}
	complete := true
	if strings.Count(r.Text("end"), ":") == 2 && !r.Has("start") {
		x.end = read.Field(r, "end", lifeLength)
	} else {
		complete = x.dates(r)
	}
	if r.Err == nil && (!complete || x.end < x.start || x.end-x.start > maxLifetime.Microseconds()) {
		return x, errCorrupt
	}
	return x, r.Err
}

var readLifeDate = read.Calendar("1/2/06 15:04", "2/18/19 23:40, or a length such as 24:05:13")

// dates reads start and end of the calendar, and reports whether both are there.
func (x *lifetime) dates(r *read.Row) bool {
	x.dated = true
	start := read.Maybe(r, "start", readLifeDate)
	end := read.Maybe(r, "end", readLifeDate)
	if start == nil || end == nil {
		return false
	}
	x.start = *start
	x.end = *end
	return true
}

// lifeLength reads HH:MM:SS in us; what no clock shows is longer than any life.
func lifeLength(text string) (int64, error) {
	m := lifeDuration().FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("expected a length HH:MM:SS")
	}
	h, _ := strconv.ParseInt(m[1], 10, 64)
	min, _ := strconv.ParseInt(m[2], 10, 64)
	sec, _ := strconv.ParseInt(m[3], 10, 64)
	if min > 59 || sec > 59 {
		return math.MaxInt64, nil
	}
	return ((h*60+min)*60 + sec) * 1e6, nil
}
