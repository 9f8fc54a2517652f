package jobs

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// table reads a CSV with a header, a job a row. Columns are found by their names.
type table struct {
	*formats.Builder
	required []string
	known    []string // read if they are there
	own      bool     // written for marigram: a column that is not read is a mistake
	// job reads a row. A reason says why the job is left out, "" if it is not.
	job func(*table, *read.Row) (j traces.JobRow, reason string)

	ids  map[name]place // of all files
	last int64          // instant of the job before in the file
	left formats.Tally  // jobs of the file that are left out, by reason
}

// name stands for the name of a job: two hashes of it, so that long lists of jobs take little memory.
type name [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func nameOf(id string) name { return name{maphash.String(seeds[0], id), maphash.String(seeds[1], id)} }

// place is where a name was met first.
type place struct {
	file int32
	line int
}

// Read adds the jobs of a file, and notes how many were left out, and why.
func (t *table) Read(s *read.Source) error {
	t.last = 0
	t.left = formats.Tally{}
	first := true
	for r := range s.Table(t.required...) {
		if first && r.Err == nil {
			t.noteUnread(s, r.Names)
		}
		first = false
		j, reason := t.job(t, r)
		if err := t.add(r, j, reason); err != nil {
			return err
		}
	}
	noteLeft(t.Builder, s, t.left)
	return nil
}

// add adds the job of a row, or counts why it is left out.
func (t *table) add(r *read.Row, j traces.JobRow, reason string) error {
	switch {
	case r.Err != nil:
		return r.Err
	case reason != "":
		t.left.Add(reason)
		return nil
	}
	if err := t.named(r, j.JobID); err != nil {
		return err
	}
	if j.T < t.last {
		t.Report.OutOfOrder++
	}
	t.last = j.T
	j.SrcFile = r.Source.Index
	j.SrcRow = int64(r.Line)
	t.AddJob(j)
	return nil
}

// noteLeft notes how many jobs of a file were left out, by reason.
func noteLeft(b *formats.Builder, s *read.Source, left formats.Tally) {
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		b.Notef("%s: %d jobs left out: %s", s.Base(), left[reason], reason)
	}
}

// noteUnread notes the columns that are not read.
func (t *table) noteUnread(s *read.Source, names []string) {
	for _, name := range names {
		switch {
		case slices.Contains(t.required, name) || slices.Contains(t.known, name):
		case t.own:
			t.Notef("%s: column %s is not read%s", s.Base(), read.Quote(name), registry.DidYouMean("; ", name, t.known))
		default:
			t.Ignore(name)
		}
	}
}

// named refuses a second job of one name.
func (t *table) named(r *read.Row, id string) error {
	if id == "" {
		return nil
	}
	key := nameOf(id)
	if was, twice := t.ids[key]; twice {
		return r.Errorf("job_id", "job_id %s is that of line %d of %s as well, expected a name of its own",
			read.Quote(id), was.line, t.SourcePath(was.file))
	}
	if t.ids == nil {
		t.ids = map[name]place{}
	}
	t.ids[key] = place{r.Source.Index, r.Line}
	t.Hold(1)
	return nil
}

// span is a reader of lengths of time in a unit, 0 or more. Fractions of a microsecond are rounded.
func span(unit time.Duration) func(string) (int64, error) {
	return func(text string) (int64, error) {
		x, err := strconv.ParseFloat(text, 64)
		us := math.Round(x * float64(unit.Microseconds()))
		if err != nil || !(us >= 0 && us <= traces.MaxInstant) {
			return 0, fmt.Errorf("expected a time of 0 or more, in units of %v, below the year 2199", unit)
		}
		return int64(us), nil
	}
}

// since is a reader of instants as lengths of time behind an origin, us UTC.
func since(unit time.Duration, origin int64) func(string) (int64, error) {
	return func(text string) (int64, error) {
		us, err := span(unit)(text)
		if err == nil && us > traces.MaxInstant-origin {
			err = errors.New("is after the year 2199")
		}
		return origin + us, err
	}
}

// above0 is a reader of lengths of time in seconds that are not 0.
func above0(text string) (int64, error) {
	us, err := span(time.Second)(text)
	if err == nil && us == 0 {
		err = errors.New("expected a time above 0")
	}
	return us, err
}

// calendar reads `2006-01-02 15:04:05`, with an offset such as +08:00 or without.
func calendar(text string) (us int64, there bool, err error) {
	switch strings.ToLower(text) {
	case "", "none", "null", "nan", "nat":
		return 0, false, nil
	}
	t, err := read.CalendarUTC(text)
	if err != nil {
		t, err = time.Parse("2006-01-02 15:04:05Z07:00", text)
	}
	if err != nil {
		return 0, false, fmt.Errorf("expected a date and time, for instance 2017-10-09 07:01:55")
	}
	us, err = traces.Instant(t.UTC())
	return us, err == nil, err
}
