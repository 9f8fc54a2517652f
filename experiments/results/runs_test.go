package results_test

import (
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// Each run has its own rows of every table, and no others; appending to them leaves the next run's alone.
func TestRuns(t *testing.T) {
	set := results.Set{Summaries: []results.Summary{{Run: 1}, {Run: 3}, {Run: 4}}}
	for _, run := range []int64{1, 1, 2, 3, 4, 4} {
		set.Spans = append(set.Spans, results.Span{Run: run})
		set.Decisions = append(set.Decisions, results.Decision{Run: run})
		set.Candidates = append(set.Candidates, results.Candidate{Run: run})
		set.Instances = append(set.Instances, results.Instance{Run: run})
		set.Jobs = append(set.Jobs, results.Job{Run: run})
	}
	runs := set.Runs()
	for i, want := range []int{2, 1, 2} {
		r := &runs[i]
		for _, got := range []int{len(r.Spans), len(r.Decisions), len(r.Candidates), len(r.Instances), len(r.Jobs)} {
			if got != want {
				t.Errorf("run %d has %d rows of a table, expected %d", r.Run, got, want)
			}
		}
		if r.Spans[0].Run != r.Run {
			t.Errorf("run %d has the spans of run %d", r.Run, r.Spans[0].Run)
		}
	}
	_ = append(runs[0].Spans, results.Span{Run: 9})
	if set.Spans[2].Run != 2 {
		t.Error("rows that are added to a run replace those of the next")
	}
}
