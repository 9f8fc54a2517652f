package results

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/marigram/marigram/internal/columnar"
)

// gather is how many rows of a table are held before they are written.
const gather = 64 << 10

// A Writer writes a set run by run, in memory that does not grow with it. The
// tables appear in the folder together when Close succeeds.
type Writer struct {
	summaries *table[Summary]
	spans     *table[Span]
	decisions *table[Decision]
}

// Create begins a set in dir, which it makes if it is not there. End it with
// Close or Abort.
func Create(dir string, p Provenance) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	w, meta := &Writer{}, p.Meta()
	var err error
	if w.summaries, err = create[Summary](dir, SummaryFile, meta); err == nil {
		if w.spans, err = create[Span](dir, SpansFile, meta); err == nil {
			w.decisions, err = create[Decision](dir, DecisionsFile, meta)
		}
	}
	if err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// Append adds the rows of some runs. It refuses summaries that do not pass
// Check; after an error only Abort is left to do.
func (w *Writer) Append(summaries []Summary, spans []Span, decisions []Decision) error {
	for i := range summaries {
		if err := summaries[i].Check(); err != nil {
			return err
		}
	}
	if err := w.summaries.append(summaries); err != nil {
		return err
	}
	if err := w.spans.append(spans); err != nil {
		return err
	}
	return w.decisions.append(decisions)
}

// Close completes the three tables and then gives them their names. When it
// fails it leaves no table of the set behind.
func (w *Writer) Close() error {
	parts := w.parts()
	for _, p := range parts {
		if err := p.finish(); err != nil {
			w.Abort()
			return err
		}
	}
	for i, p := range parts {
		if err := p.rename(); err != nil {
			for _, done := range parts[:i] {
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
	for _, p := range w.parts() {
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

// parts lists the tables that were begun; the summaries come last, so that
// whoever waits for them finds the others.
func (w *Writer) parts() []part {
	var list []part
	if w.decisions != nil {
		list = append(list, w.decisions)
	}
	if w.spans != nil {
		list = append(list, w.spans)
	}
	if w.summaries != nil {
		list = append(list, w.summaries)
	}
	return list
}

// table gathers rows into large groups.
type table[T any] struct {
	path string
	out  *columnar.Writer[T]
	rows []T
}

func create[T any](dir, name string, meta map[string]string) (*table[T], error) {
	path := filepath.Join(dir, name)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder, want a file or nothing", path)
	}
	out, err := columnar.Create[T](path, meta)
	if err != nil {
		return nil, err
	}
	return &table[T]{path: path, out: out}, nil
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
func (t *table[T]) unlink()       { os.Remove(t.path) }
func (t *table[T]) abort()        { t.out.Abort() }
