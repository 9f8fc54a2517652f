package results

import (
	"fmt"
	"maps"
	"path/filepath"

	"github.com/marigram/marigram/internal/columnar"
)

// The names of the tables in their folder.
const (
	SummaryFile   = "summary.parquet"
	SpansFile     = "spans.parquet"
	DecisionsFile = "decisions.parquet"
)

// Set is what a study leaves behind. Rows are in the order of their runs, and
// of time in a run.
type Set struct {
	Provenance Provenance
	Summaries  []Summary
	Spans      []Span
	Decisions  []Decision
}

// WriteAll writes the three tables of a set to dir, which it makes if it is
// not there. They appear together: when it fails, what was in dir before is
// still there and nothing else is, but for a rename that the disk refuses
// after it allowed others, which leaves out the tables that were renamed.
func WriteAll(dir string, s Set) error {
	w, err := Create(dir, s.Provenance)
	if err != nil {
		return err
	}
	if err := w.Append(s.Summaries, s.Spans, s.Decisions); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// ReadAll reads the set in dir. Tables that are missing, damaged, of another
// schema, or of different studies are errors that name the file.
func ReadAll(dir string) (s Set, err error) {
	var metas [3]map[string]string
	path := func(name string) string { return filepath.Join(dir, name) }
	if s.Summaries, metas[0], err = columnar.Read[Summary](path(SummaryFile)); err != nil {
		return Set{}, err
	}
	if s.Spans, metas[1], err = columnar.Read[Span](path(SpansFile)); err != nil {
		return Set{}, err
	}
	if s.Decisions, metas[2], err = columnar.Read[Decision](path(DecisionsFile)); err != nil {
		return Set{}, err
	}
	for i, name := range []string{SpansFile, DecisionsFile} {
		if !maps.Equal(metas[0], metas[i+1]) {
			return Set{}, fmt.Errorf("%s: is of another study than %s: their metadata differ", path(name), SummaryFile)
		}
	}
	if s.Provenance, err = ProvenanceOf(metas[0]); err != nil {
		return Set{}, fmt.Errorf("%s: %w", path(SummaryFile), err)
	}
	return s, nil
}

// ReadSummaries reads one table of summaries, wherever it is: a part of a
// sweep, for one.
func ReadSummaries(path string) ([]Summary, Provenance, error) {
	rows, meta, err := columnar.Read[Summary](path)
	if err != nil {
		return nil, Provenance{}, err
	}
	p, err := ProvenanceOf(meta)
	if err != nil {
		return nil, p, fmt.Errorf("%s: %w", path, err)
	}
	return rows, p, nil
}

// WriteSummaries writes one table of summaries under any name.
func WriteSummaries(path string, p Provenance, rows []Summary) error {
	for i := range rows {
		if err := rows[i].Check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return columnar.Write(path, p.Meta(), rows)
}
