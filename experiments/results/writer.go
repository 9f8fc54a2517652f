package results

import (
	"context"
	"fmt"
	"os"
	"slices"

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
	w := &Writer{}
	for i := range Tables {
		if err := w.begin(&Tables[i], store.Join(dir, Tables[i].File), p); err != nil {
			w.Abort()
			return nil, err
		}
	}
	slices.Reverse(w.parts) // the summaries come last, so that whoever waits for them finds the others
	return w, nil
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
