package results

import (
	"path/filepath"
	"sort"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
)

// Run is one run of a set, with its rows of every table.
type Run struct {
	Summary
	Spans      []Span
	Decisions  []Decision
	Candidates []Candidate
	Instances  []Instance
	Jobs       []Job
	Outages    []Outage
	Slow       []Slow
}

// Runs returns the runs of a set whose tables are in the order of the runs.
func (s *Set) Runs() []Run {
	out := make([]Run, len(s.Summaries))
	for i, x := range s.Summaries {
		out[i] = Run{
			Summary:    x,
			Spans:      RowsOf(s.Spans, x.Run, func(x *Span) int64 { return x.Run }),
			Decisions:  RowsOf(s.Decisions, x.Run, func(x *Decision) int64 { return x.Run }),
			Candidates: RowsOf(s.Candidates, x.Run, func(x *Candidate) int64 { return x.Run }),
			Instances:  RowsOf(s.Instances, x.Run, func(x *Instance) int64 { return x.Run }),
			Jobs:       RowsOf(s.Jobs, x.Run, func(x *Job) int64 { return x.Run }),
			Outages:    RowsOf(s.Outages, x.Run, func(x *Outage) int64 { return x.Run }),
			Slow:       RowsOf(s.Slow, x.Run, func(x *Slow) int64 { return x.Run }),
		}
	}
	return out
}

// RowsOf returns the rows with a number, of rows in the order of their numbers.
func RowsOf[T any](rows []T, n int64, number func(*T) int64) []T {
	from := sort.Search(len(rows), func(i int) bool { return number(&rows[i]) >= n })
	to := sort.Search(len(rows), func(i int) bool { return number(&rows[i]) > n })
	return rows[from:to:to]
}

// WriteRuns writes the summaries of a set into one file: Parquet, or, where its name ends in .csv, comma-separated
// values, which say nothing of where they come from.
func WriteRuns(path string, s *Set) error {
	if err := store.MakeFolderOf(path); err != nil {
		return err
	}
	if filepath.Ext(path) != ".csv" {
		return columnar.Write(path, s.Provenance.Meta(), s.Summaries)
	}
	table, err := columnar.CreateCSV[Summary](path)
	if err != nil {
		return err
	}
	if err := table.Append(s.Summaries); err != nil {
		table.Abort()
		return err
	}
	return table.Close()
}
