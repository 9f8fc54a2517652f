package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"syscall"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

// gather is how many rows of a table are held before they are written.
const gather = 64 << 10

// A Writer writes a set run by run, in memory that does not grow with it. The
// tables appear in the folder together when Close succeeds.
type Writer struct {
	parts []part // of each table that was begun
	jobs  *writing[Job]
}

// Create begins a set in dir, which it makes if it is not there. End it with
// Close or Abort.
func Create(dir string, p Provenance) (*Writer, error) {
	if err := store.MakeFolder(dir); err != nil {
		return nil, err
	}
	set := &Writer{}
	for i := range Tables {
		if err := set.begin(&Tables[i], store.Join(dir, Tables[i].File), p); err != nil {
			set.Abort()
			return nil, err
		}
	}
	slices.Reverse(set.parts) // the summaries come last, so that whoever waits for them finds the others
	return set, nil
}

// begin begins a table.
func (w *Writer) begin(t *Table, path string, p Provenance) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder, want a file or nothing", path)
	}
	one, err := t.create(path, p)
	if err != nil {
		return err
	}
	w.parts = append(w.parts, one)
	if jobs, is := one.(*writing[Job]); is {
		w.jobs = jobs
	}
	return nil
}

// WriteAll writes the tables of a set to dir, which it makes if it is
// not there. They appear together: when it fails, what was in dir before is
// still there and nothing else is, but for a rename that the disk refuses
// after it allowed others, which leaves out the tables that were renamed.
func WriteAll(dir string, s Set) error {
	set, err := Create(dir, s.Provenance)
	if err != nil {
		return err
	}
	if err := set.Append(s); err != nil {
		set.Abort()
		return err
	}
	return set.Close()
}

// Append adds the rows of some runs; their provenance is that of Create. It
// refuses summaries that do not pass Check; after an error only Abort is left to do.
func (w *Writer) Append(s Set) error {
	for i := range s.Summaries {
		if err := s.Summaries[i].Check(); err != nil {
			return err
		}
	}
	for _, p := range w.parts {
		if err := p.take(&s); err != nil {
			return err
		}
	}
	return nil
}

// Job adds one row of a job, before the rows of Append.
func (w *Writer) Job(r *Job) error { return w.jobs.append([]Job{*r}) }

// Close completes the tables and then gives them their names. When it
// fails it leaves no table of the set behind.
func (w *Writer) Close() error {
	for _, p := range w.parts {
		if err := p.finish(); err != nil {
			w.Abort()
			return err
		}
	}
	for i, p := range w.parts {
		if err := p.rename(); err != nil {
			for _, done := range w.parts[:i] {
				done.unlink()
			}
			w.Abort()
			return err
		}
	}
	return nil
}

// Abort gives the set up. After a Close that succeeded it does nothing.
func (w *Writer) Abort() {
	for _, p := range w.parts {
		p.abort()
	}
}

// part is a table that is being written.
type part interface {
	take(*Set) error
	finish() error
	rename() error
	unlink()
	abort()
}

// writing gathers rows into large groups.
type writing[T any] struct {
	path string
	out  *columnar.Writer[T]
	of   rowsOf[T]
	rows []T
}

func (t *writing[T]) take(s *Set) error { return t.append(*t.of(s)) }

func (t *writing[T]) append(rows []T) error {
	for len(t.rows)+len(rows) >= gather {
		fit := gather - len(t.rows)
		t.rows = append(t.rows, rows[:fit]...)
		rows = rows[fit:]
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.rows = append(t.rows, rows...)
	return nil
}

func (t *writing[T]) flush() error {
	err := t.out.Append(t.rows)
	t.rows = t.rows[:0]
	return err
}

func (t *writing[T]) finish() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.out.Finish()
}

func (t *writing[T]) rename() error { return t.out.Close() }

func (t *writing[T]) unlink() { _ = store.Remove(context.Background(), t.path) }

func (t *writing[T]) abort() { t.out.Abort() }

// The names of the tables in their folder.
const (
	SummaryFile    = "summary.parquet"
	SpansFile      = "spans.parquet"
	DecisionsFile  = "decisions.parquet"
	CandidatesFile = "candidates.parquet"
	InstancesFile  = "instances.parquet"
	JobsFile       = "jobs.parquet"
	OutagesFile    = "outages.parquet" // since version 14
	SlowFile       = "slow.parquet"    // since version 18
)

// Set is what a study leaves behind. Rows are in the order of their runs, and
// of time in a run.
type Set struct {
	Provenance Provenance
	Summaries  []Summary
	Spans      []Span
	Decisions  []Decision
	Candidates []Candidate
	Instances  []Instance
	Jobs       []Job
	Outages    []Outage // of machines that fail
	Slow       []Slow   // of machines that become slow
}

// ReadAll reads the set in dir. Tables that are missing, damaged, of another
// schema, or of different studies are errors that name the file.
func ReadAll(dir string) (s Set, err error) {
	var meta map[string]string
	if s.Summaries, s.Provenance, meta, err = readSummaries(store.Join(dir, SummaryFile)); err != nil {
		return Set{}, err
	}
	err = others(dir, s.Provenance.SchemaVersion, func(t *Table, path string) error { return t.read(path, meta, &s) })
	if err != nil {
		return Set{}, err
	}
	return s, nil
}

// ReadRuns reads the summaries of the set in dir. Its other tables have to be there and
// of the same study: what is missing or foreign is an error that names the file.
func ReadRuns(dir string) ([]Summary, Provenance, error) {
	rows, from, want, err := readSummaries(store.Join(dir, SummaryFile))
	if err != nil {
		return nil, from, err
	}
	err = others(dir, from.SchemaVersion, func(_ *Table, path string) error {
		meta, _, err := columnar.Inspect(path)
		if err == nil && !maps.Equal(want, meta) {
			err = foreign(path)
		}
		return err
	})
	if err != nil {
		return nil, from, err
	}
	return rows, from, nil
}

func readSummaries(path string) ([]Summary, Provenance, map[string]string, error) {
	meta, _, err := columnar.Inspect(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%w: expected a folder that marigram run or sweep wrote", err)
	}
	if err != nil {
		return nil, Provenance{}, nil, err
	}
	from, err := provenanceOf(meta)
	if err != nil {
		return nil, from, nil, fmt.Errorf("%s: %w", path, err)
	}
	rows, meta, err := columnar.Read[Summary](path)
	return rows, from, meta, err
}

// Table is one of the tables of a set.
type Table struct {
	File string       // its name in the folder
	Rows string       // what a row is
	Row  reflect.Type // the struct whose fields are its columns

	since int // schema version that added it, 0 for those that were always there
	rows
}

// rows is what is done with a table whatever its rows are.
type rows interface {
	columns() []columnar.Column
	read(path string, want map[string]string, into *Set) error
	create(path string, p Provenance) (part, error)
	add(to, from *Set)
}

// rowsOf are the rows of a set that are of one type.
type rowsOf[T any] func(*Set) *[]T

func table[T any](file string, since int, what string, of rowsOf[T]) Table {
	return Table{File: file, Rows: what, Row: reflect.TypeFor[T](), since: since, rows: of}
}

// Tables are the tables of a set. To add one: its rows to Set, and a line here.
var Tables = []Table{
	table(SummaryFile, 0, "one row per run", func(s *Set) *[]Summary { return &s.Summaries }),
	table(SpansFile, 0, "one row for each pool for as long as it stays the same; the first pool of a run, "+
		"and those of which something is held or requested, have one for each interval in which nothing of the run "+
		"changed, as do all rows of many jobs",
		func(s *Set) *[]Span { return &s.Spans }),
	table(DecisionsFile, 0, "one row for each decision of a policy, "+
		"except those by its own timer that changed nothing, of one job the reason included",
		func(s *Set) *[]Decision { return &s.Decisions }),
	table(CandidatesFile, 0, "one row for each alternative that a policy considered in a decision, in its order",
		func(s *Set) *[]Candidate { return &s.Candidates }),
	table(InstancesFile, 0, "one row for each instance that a run held, in the order of its grants",
		func(s *Set) *[]Instance { return &s.Instances }),
	table(JobsFile, 0, "one row for each job of a run: of all runs of one job, "+
		"and of the runs of many jobs (jobs in the spec) whose timeline is kept",
		func(s *Set) *[]Job { return &s.Jobs }),
	table(OutagesFile, 14, "one row for each time in which a machine was down, whether a job had it or not, "+
		"in the order of their starts, if the timeline of the run is kept",
		func(s *Set) *[]Outage { return &s.Outages }),
	table(SlowFile, 18, "one row for each time in which a machine that a job held was slow, "+
		"in the order of their starts, if the timeline of the run is kept",
		func(s *Set) *[]Slow { return &s.Slow }),
}

// Files lists the names of the tables.
func Files() (names []string) {
	for i := range Tables {
		names = append(names, Tables[i].File)
	}
	return names
}

// Add adds the rows of further runs; the provenance stays.
func (s *Set) Add(more *Set) {
	for i := range Tables {
		Tables[i].add(s, more)
	}
}

func (of rowsOf[T]) columns() []columnar.Column { return columnar.Columns[T]() }

func (of rowsOf[T]) add(to, from *Set) { *of(to) = append(*of(to), *of(from)...) }

func (of rowsOf[T]) read(path string, want map[string]string, into *Set) error {
	all, meta, err := columnar.Read[T](path)
	if err == nil && !maps.Equal(want, meta) {
		err = foreign(path)
	}
	*of(into) = all
	return err
}

func (of rowsOf[T]) create(path string, p Provenance) (part, error) {
	out, err := columnar.Create[T](path, p.Meta())
	return &writing[T]{path: path, out: out, of: of}, err
}

// foreign is the error of a table of another study.
func foreign(path string) error {
	return fmt.Errorf("%s: from another study than %s: their metadata differ", path, SummaryFile)
}

// others calls each for the tables of a folder but that of the runs, as far as its schema version has them, until an
// error.
func others(dir string, version int, each func(t *Table, path string) error) error {
	for i := range Tables {
		table := &Tables[i]
		if table.File == SummaryFile || version < table.since {
			continue
		}
		if err := each(table, store.Join(dir, table.File)); err != nil {
			return err
		}
	}
	return nil
}
