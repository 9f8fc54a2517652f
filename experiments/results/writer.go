package results

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

// gather is how many rows of a table are held before they are written.
const gather = 64 << 10

// A Writer writes a set run by run, in memory that does not grow with it. The
// tables appear in the folder together when Close succeeds.
type Writer struct {
	summaries  *table[Summary]
	spans      *table[Span]
	decisions  *table[Decision]
	candidates *table[Candidate]
	instances  *table[Instance]
	jobs       *table[Job]
	tasks      *table[Task]
	parts      []part // those that were begun; the summaries come last, so that whoever waits for them finds the others
}

// Create begins a set in dir, which it makes if it is not there. End it with
// Close or Abort.
func Create(dir string, p Provenance) (*Writer, error) {
	if err := store.MakeFolder(dir); err != nil {
		return nil, err
	}
	w := &Writer{}
	err := errors.Join(
		create(w, &w.jobs, dir, JobsFile, p), create(w, &w.tasks, dir, TasksFile, p),
		create(w, &w.instances, dir, InstancesFile, p), create(w, &w.candidates, dir, CandidatesFile, p),
		create(w, &w.decisions, dir, DecisionsFile, p), create(w, &w.spans, dir, SpansFile, p),
		create(w, &w.summaries, dir, SummaryFile, p))
	if err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// WriteAll writes the tables of a set to dir, which it makes if it is
// not there. They appear together: when it fails, what was in dir before is
// still there and nothing else is, but for a rename that the disk refuses
// after it allowed others, which leaves out the tables that were renamed.
func WriteAll(dir string, s Set) error {
	w, err := Create(dir, s.Provenance)
	if err != nil {
		return err
	}
	if err := w.Append(s); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// Append adds the rows of some runs; their provenance is that of Create. It
// refuses summaries that do not pass Check; after an error only Abort is left to do.
func (w *Writer) Append(s Set) error {
	for i := range s.Summaries {
		if err := s.Summaries[i].Check(); err != nil {
			return err
		}
	}
	if err := w.summaries.append(s.Summaries); err != nil {
		return err
	}
	if err := w.spans.append(s.Spans); err != nil {
		return err
	}
	if err := w.decisions.append(s.Decisions); err != nil {
		return err
	}
	if err := w.candidates.append(s.Candidates); err != nil {
		return err
	}
	if err := w.instances.append(s.Instances); err != nil {
		return err
	}
	if err := w.tasks.append(s.Tasks); err != nil {
		return err
	}
	return w.jobs.append(s.Jobs)
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

// part is a table, whatever its rows are.
type part interface {
	finish() error
	rename() error
	unlink()
	abort()
}

// table gathers rows into large groups.
type table[T any] struct {
	path string
	out  *columnar.Writer[T]
	rows []T
}

// create begins a table of w.
func create[T any](w *Writer, into **table[T], dir, name string, p Provenance) error {
	path := store.Join(dir, name)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder, want a file or nothing", path)
	}
	out, err := columnar.Create[T](path, p.Meta())
	if err != nil {
		return err
	}
	*into = &table[T]{path: path, out: out}
	w.parts = append(w.parts, *into)
	return nil
}

func (t *table[T]) append(rows []T) error {
	for len(t.rows)+len(rows) >= gather {
		n := gather - len(t.rows)
		t.rows = append(t.rows, rows[:n]...)
		rows = rows[n:]
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.rows = append(t.rows, rows...)
	return nil
}

func (t *table[T]) flush() error {
	err := t.out.Append(t.rows)
	t.rows = t.rows[:0]
	return err
}

func (t *table[T]) finish() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.out.Finish()
}

func (t *table[T]) rename() error { return t.out.Close() }

func (t *table[T]) unlink() { _ = store.Remove(context.Background(), t.path) }

func (t *table[T]) abort() { t.out.Abort() }
