package formats

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
)

var (
	lifeDuration = regexp.MustCompile(`^(\d{1,9}):(\d\d):(\d\d)$`)
	zoneInName   = regexp.MustCompile(`(?:us|europe|asia|australia|northamerica|southamerica|africa|me)-[a-z]+\d{1,2}-[a-z]`)
)

const (
	lifeHeader  = "VM name"
	lifeDate    = "1/2/06 15:04"
	maxLifetime = 365 * 24 * time.Hour // no machine of a spot market lives longer; a cell that says so is corrupt
)

// lifetimeCSV reads a sheet of lifetimes in sections.
var lifetimeCSV = Format{
	Name: "lifetime-csv",
	What: "a sheet of lifetimes in sections headed by a GPU (cake-lab's lifetime.csv): `name,start,end` as M/D/YY HH:MM of an unknown time zone, or a length HH:MM:SS alone or behind a name. The clock is relative: dated rows keep their distances, each undated one begins at 0. " +
		"Why a machine ended is not recorded; rows with a missing cell, an end before its start or more than a year are left out and counted",
	Example: "K80,,\nVM name,Start,Terminate\na-us-west1-b-0,2/18/19 23:40,2/20/19 00:02",
	Version: 1,
	Recognise: func(s *source) bool {
		n := 0
		for l := range s.lines() {
			if n++; n == 2 {
				return strings.HasPrefix(l.text, lifeHeader+",")
			}
		}
		return false
	},
	New: func(b *Builder) Importer { return lifetimeReader{b} },
}

// life is one row.
type life struct {
	line       int
	name, gpu  string
	start, end int64 // us: of the calendar, or from 0
	dated      bool
}

// lifetimeReader reads sheets.
type lifetimeReader struct{ *Builder }

func (b lifetimeReader) Read(s *source) error {
	var lives []life
	var corrupt []string
	gpu := ""
	for l := range s.lines() {
		x, err := lifeLine(l, &gpu)
		switch {
		case err == errNoLife:
			continue
		case err == errCorrupt:
			corrupt = append(corrupt, fmt.Sprintf("%s: left out: line %d %s", s.stem(), l.n, quote(l.text)))
			continue
		case err != nil:
			return err
		}
		lives = append(lives, x)
	}
	if len(lives) == 0 {
		return s.errorf(0, 0, "has no lifetime that can be, expected rows below the headings")
	}
	b.Report.Corrupt += len(corrupt)
	b.Report.Rows += len(corrupt)
	b.NoteFirst(s, corrupt, "rows are left out")
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsLifetimes
	b.addLives(s, lives)
	return nil
}

// lifeLine reads a line: a life, or a heading, of which it notes the GPU.
func lifeLine(l line, gpu *string) (life, error) {
	if len(l.text) > maxLine {
		return life{}, l.errorAt(1, "line of %d bytes, expected at most %d", len(l.text), maxLine)
	}
	f, column, err := l.fields(strings.Count(l.text, ",") + 1)
	if err != nil {
		return life{}, err
	}
	for len(f) > 0 && f[len(f)-1] == "" {
		f = f[:len(f)-1]
	}
	switch {
	case len(f) == 0 || f[0] == lifeHeader:
		return life{}, errNoLife
	case len(f) > 3:
		return life{}, l.errorAt(column[3], "%s, expected at most a name, a start and an end", quote(f[3]))
	case len(f) == 1 && !strings.Contains(f[0], ":"):
		if err := checkName(f[0]); err != nil {
			return life{}, l.errorAt(column[0], "heading %s, %v", quote(f[0]), err)
		}
		*gpu = f[0]
		return life{}, errNoLife
	case *gpu == "":
		return life{}, l.errorAt(1, "%s before a heading, expected a GPU first", quote(l.text))
	}
	x := life{line: l.n, gpu: *gpu}
	last := len(f) - 1
	if last > 0 {
		if x.name = f[0]; checkName(x.name) != nil {
			return x, l.errorAt(column[0], "machine %s, %v", quote(x.name), checkName(x.name))
		}
	}
	if strings.Count(f[last], ":") == 2 && (last < 2 || f[1] == "") {
		x.end, err = lifeLength(f[last])
	} else {
		err = x.dates(l, f, column)
	}
	if err == errBadLife {
		err = l.errorAt(column[last], "%s, expected a length HH:MM:SS", quote(f[last]))
	}
	return x, err
}

// dates reads start and end of the calendar.
func (x *life) dates(l line, f []string, column []int) error {
	x.dated = true
	if len(f) < 3 || f[1] == "" {
		for i := 1; i < len(f); i++ {
			if _, err := time.Parse(lifeDate, f[i]); err != nil && f[i] != "" {
				return l.errorAt(column[i], "%s, expected for instance 2/18/19 23:40 or 24:05:13", quote(f[i]))
			}
		}
		return errCorrupt
	}
	for i, into := range []*int64{&x.start, &x.end} {
		t, err := time.Parse(lifeDate, f[1+i])
		if err != nil {
			return l.errorAt(column[1+i], "%s, expected for instance 2/18/19 23:40", quote(f[1+i]))
		}
		if *into, err = traces.Instant(t); err != nil {
			return l.errorAt(column[1+i], "%s %v", quote(f[1+i]), err)
		}
	}
	if x.end < x.start || x.end-x.start > maxLifetime.Microseconds() {
		return errCorrupt
	}
	return nil
}

// lifeLength reads HH:MM:SS in us.
func lifeLength(text string) (int64, error) {
	m := lifeDuration.FindStringSubmatch(text)
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
