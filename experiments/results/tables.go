package results

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

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
	table(SpansFile, 0, "one row for each pool for as long as it stays the same; the first pool of a run, and those of which something "+
		"is held or requested, have one for each interval in which nothing of the run changed, as do all rows of many jobs",
		func(s *Set) *[]Span { return &s.Spans }),
	table(DecisionsFile, 0, "one row for each decision of a policy, except those by its own timer that changed nothing",
		func(s *Set) *[]Decision { return &s.Decisions }),
	table(CandidatesFile, 0, "one row for each alternative that a policy considered in a decision, in its order",
		func(s *Set) *[]Candidate { return &s.Candidates }),
	table(InstancesFile, 0, "one row for each instance that a run held, in the order of its grants",
		func(s *Set) *[]Instance { return &s.Instances }),
	table(JobsFile, 6, "one row for each job of a run: of all runs of one job, and of the runs of many jobs (jobs in the spec) whose timeline is kept",
		func(s *Set) *[]Job { return &s.Jobs }),
	table(TasksFile, 8, "one row for each time that a task of a job had a place on an instance that jobs share, in the order of their ends, "+
		"if the timeline of the run is kept", func(s *Set) *[]Task { return &s.Tasks }),
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

// others calls each for the tables of a folder but that of the runs, as far as its schema version has them, until an error.
func others(dir string, version int, each func(t *Table, path string) error) error {
	for i := range Tables[1:] {
		if t := &Tables[i+1]; version >= t.since {
			if err := each(t, store.Join(dir, t.File)); err != nil {
				return err
			}
		}
	}
	return nil
}
