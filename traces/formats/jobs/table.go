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
	job func(*table, *cells) (j traces.JobRow, reason string)

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

// begins reports whether a header has all of the names.
func begins(s *read.Source, names ...string) bool {
	header := strings.Split(s.FirstRecord(), ",")
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(header, n) })
}

// Read adds the jobs of a file, and notes how many were left out, and why.
func (t *table) Read(s *read.Source) error {
	t.Manifest.Semantics = traces.SemanticsJobs
	var names []string
	rows := 0
	t.last, t.left = 0, formats.Tally{}
	for l := range s.Records() {
		if names == nil {
			var err error
			if names, _, err = l.Fields(0); err == nil {
				err = t.header(l, names)
			}
			if err != nil {
				return err
			}
			continue
		}
		c, err := newCells(l, names)
		if err != nil {
			return err
		}
		j, reason := t.job(t, c)
		if err := t.add(c, j, reason); err != nil {
			return err
		}
		rows++
	}
	if rows == 0 {
		return s.Errorf(0, 0, "has no row below the header")
	}
	noteLeft(t.Builder, s, t.left)
	return nil
}

// add adds the job of a row, or counts why it is left out.
func (t *table) add(c *cells, j traces.JobRow, reason string) error {
	switch {
	case c.err != nil:
		return c.err
	case reason != "":
		t.left.Add(reason)
		return nil
	}
	if err := t.named(c, j.JobID); err != nil {
		return err
	}
	if j.T < t.last {
		t.Report.OutOfOrder++
	}
	t.last = j.T
	j.SrcFile, j.SrcRow = c.line.Source.Index, int64(c.line.Number)
	t.AddJob(j)
	return nil
}

// noteLeft notes how many jobs of a file were left out, by reason.
func noteLeft(b *formats.Builder, s *read.Source, left formats.Tally) {
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		b.Notef("%s: %d jobs left out: %s", s.Base(), left[reason], reason)
	}
}

// header checks the names of the columns, and notes those that are not read.
func (t *table) header(l read.Line, names []string) error {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return l.Errorf("column %s is there twice in the header", read.Quote(n))
		}
		switch {
		case slices.Contains(t.required, n) || slices.Contains(t.known, n):
		case t.own:
			t.Notef("%s:%d: column %s is not read%s", l.Source.Base(), l.Number, read.Quote(n), registry.DidYouMean("; ", n, t.known))
		default:
			t.Ignore(n)
		}
	}
	for _, n := range t.required {
		if !slices.Contains(names, n) {
			return l.Errorf("header %s has no column %s, expected %s", read.Quote(l.Text), n, strings.Join(t.required, ","))
		}
	}
	return nil
}

// named refuses a second job of one name.
func (t *table) named(c *cells, id string) error {
	if id == "" {
		return nil
	}
	key := nameOf(id)
	if was, twice := t.ids[key]; twice {
		return c.complain("job_id", "is that of line %d of %s as well, expected a name of its own", was.line,
			t.SourcePath(was.file))
	}
	if t.ids == nil {
		t.ids = map[name]place{}
	}
	t.ids[key] = place{c.line.Source.Index, c.line.Number}
	t.Hold(1)
	return nil
}

// cells are the values of a row by column. The first that cannot be read is the error
// of the row; what is read after it does not count.
type cells struct {
	line   read.Line
	names  []string
	text   []string
	column []int
	err    error
}

func newCells(l read.Line, names []string) (*cells, error) {
	text, column, err := l.Fields(len(names))
	return &cells{line: l, names: names, text: text, column: column}, err
}

// get returns the text of a column, "" where there is none.
func (c *cells) get(name string) string {
	if i := slices.Index(c.names, name); i >= 0 {
		return c.text[i]
	}
	return ""
}

// complain returns an error about the value of a column.
func (c *cells) complain(name, format string, args ...any) error {
	at := 1
	if i := slices.Index(c.names, name); i >= 0 {
		at = c.column[i]
	}
	return c.line.ErrorAt(at, "%s %s %s", name, read.Quote(c.get(name)), fmt.Sprintf(format, args...))
}

// fail keeps the first error.
func (c *cells) fail(name string, err error) {
	if c.err == nil {
		c.err = c.complain(name, "%v", err)
	}
}

// name reads a name, which may be empty.
func (c *cells) name(column string) string {
	s := c.get(column)
	if s != "" {
		if err := read.CheckName(s); err != nil {
			c.fail(column, err)
		}
	}
	return s
}

// needed reads a name that must be there.
func (c *cells) needed(column string) string {
	if c.get(column) == "" {
		c.fail(column, fmt.Errorf("expected a name"))
	}
	return c.name(column)
}

// number reads a number from lo to hi; nil where the column is empty or absent.
func (c *cells) number(column string, lo, hi float64) *float64 {
	s := c.get(column)
	if s == "" {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= lo && x <= hi) {
		c.fail(column, fmt.Errorf("expected a number from %v to %v", lo, hi))
		return nil
	}
	return &x
}

// amount is number that must be there.
func (c *cells) amount(column string, lo, hi float64) float64 {
	x := c.number(column, lo, hi)
	if x == nil {
		c.fail(column, fmt.Errorf("expected a number from %v to %v", lo, hi))
		return 0
	}
	return *x
}

// count reads a whole number; nil where the column is empty or absent.
func (c *cells) count(column string) *int32 {
	s := c.get(column)
	if s == "" {
		return nil
	}
	n, err := read.WholeNumber(s)
	if err != nil {
		c.fail(column, err)
	}
	return &n
}

// span reads a length of time in a unit, 0 or more; nil where the column is empty or
// absent. Fractions of a microsecond are rounded.
func (c *cells) span(column string, unit time.Duration) *int64 {
	s := c.get(column)
	if s == "" {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	us := math.Round(x * float64(unit.Microseconds()))
	if err != nil || !(us >= 0 && us <= traces.MaxInstant) {
		c.fail(column, fmt.Errorf("expected a time of 0 or more, in units of %v, below the year 2199", unit))
		return nil
	}
	return new(int64(us))
}

// since reads an instant as a length of time behind an origin, us UTC.
func (c *cells) since(column string, unit time.Duration, origin int64) int64 {
	us := c.span(column, unit)
	if us == nil {
		c.fail(column, fmt.Errorf("expected a time of 0 or more, in units of %v", unit))
		return 0
	}
	if *us > traces.MaxInstant-origin {
		c.fail(column, fmt.Errorf("is after the year 2199"))
		return 0
	}
	return origin + *us
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

var (
	errAbove0   = errors.New("expected a time above 0")
	errDeadline = errors.New("expected a time above 0, or nothing where there is no deadline")
	errBool     = errors.New("expected 0 or 1")
)
