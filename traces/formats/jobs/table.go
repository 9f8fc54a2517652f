package jobs

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// table reads a CSV with a header, a job a row. Columns are found by their names.
type table struct {
	*formats.Builder
	required []string
	known    []string // read if they are there
	// job reads a row. A reason says why the job is left out, "" if it is not.
	job func(*cells) (j traces.JobRow, reason string)

	ids map[name]place // of all files
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
	left, rows, last := formats.Tally{}, 0, int64(0)
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
		j, reason := t.job(c)
		rows++
		if c.err != nil {
			return c.err
		}
		if reason != "" {
			left.Add(reason)
			continue
		}
		if err := t.named(c, j.JobID); err != nil {
			return err
		}
		if j.T < last {
			t.Report.OutOfOrder++
		}
		last = j.T
		j.SrcFile, j.SrcRow = s.Index, int64(l.Number)
		t.AddJob(j)
	}
	if rows == 0 {
		return s.Errorf(0, 0, "has no row below the header")
	}
	noteLeft(t.Builder, s, left)
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
		if !slices.Contains(t.required, n) && !slices.Contains(t.known, n) {
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
