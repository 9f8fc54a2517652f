package results

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"syscall"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

// The names of the tables in their folder.
const (
	SummaryFile    = "summary.parquet"
	SpansFile      = "spans.parquet"
	DecisionsFile  = "decisions.parquet"
	CandidatesFile = "candidates.parquet"
	InstancesFile  = "instances.parquet"
	JobsFile       = "jobs.parquet"  // since version 6
	TasksFile      = "tasks.parquet" // since version 8
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
	Tasks      []Task // of runs of many jobs that share instances
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

// ReadSummaries reads one table of summaries, wherever it is. One that is missing,
// damaged or of another schema is an error that names the file.
func ReadSummaries(path string) ([]Summary, Provenance, error) {
	rows, p, _, err := readSummaries(path)
	return rows, p, err
}

// ReadRuns reads the summaries of the set in dir. Its other tables have to be there and
// of the same study: what is missing or foreign is an error that names the file.
func ReadRuns(dir string) ([]Summary, Provenance, error) {
	rows, p, want, err := readSummaries(store.Join(dir, SummaryFile))
	if err != nil {
		return nil, p, err
	}
	err = others(dir, p.SchemaVersion, func(_ *Table, path string) error {
		meta, _, err := columnar.Inspect(path)
		if err == nil && !maps.Equal(want, meta) {
			err = foreign(path)
		}
		return err
	})
	if err != nil {
		return nil, p, err
	}
	return rows, p, nil
}

func readSummaries(path string) ([]Summary, Provenance, map[string]string, error) {
	meta, _, err := columnar.Inspect(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%w: expected a folder that marigram run or sweep wrote", err)
	}
	if err != nil {
		return nil, Provenance{}, nil, err
	}
	p, err := provenanceOf(meta)
	if err != nil {
		return nil, p, nil, fmt.Errorf("%s: %w", path, err)
	}
	rows, meta, err := columnar.Read[Summary](path)
	return rows, p, meta, err
}
