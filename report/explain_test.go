package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

func firstRun(*results.Summary) bool { return true }

func numbered(n int64) func(*results.Summary) bool {
	return func(s *results.Summary) bool { return s.Run == n }
}

// A decision every 36.25 s, every other of them changes the plan.
func TestExplain(t *testing.T) {
	check := near.Count(t)
	set := synthetic(1, 40)
	for _, c := range []struct {
		at                   float64
		number               int64
		decided, plan, until float64
	}{
		{0, 0, 0, 0, 72.5},
		{35, 0, 0, 0, 72.5},
		{36, 1, 36.25, 0, 72.5}, // all of the second
		{36.24, 0, 0, 0, 72.5},
		{36.25, 1, 36.25, 0, 72.5},
		{100, 2, 72.5, 72.5, 145},
		{1e6, 7, 253.75, 217.5, 290},
	} {
		e, err := Explain(set, firstRun, Question{AtS: c.at})
		if err != nil {
			t.Fatal(err)
		}
		if e.Number != c.number || e.AtS != c.decided || e.PlanS != c.plan || e.Outcome.UntilS != c.until {
			t.Errorf("at %v s: decision %d of %v s, plan of %v s, until %v s, expected %+v", c.at, e.Number, e.AtS, e.PlanS, e.Outcome.UntilS, c)
		}
		if e.EndS != 290 || len(e.Candidates) != 12 || !e.Candidates[c.number%7].Chosen || e.Candidates[11].Score != nil || len(e.Prices) != 2 {
			t.Errorf("at %v s: candidates %+v, prices %+v", c.at, e.Candidates, e.Prices)
		}
		if got, want := e.Outcome.ProgressTo, c.until/290; check.Off(got, want, 1e-9) {
			t.Errorf("at %v s: progress to %v, expected %v", c.at, got, want)
		}
	}
	e, err := Explain(set, numbered(1), Question{})
	if err != nil || !strings.HasPrefix(e.Policy, "mine") {
		t.Errorf("run 1 is of %v, %v", e, err)
	}
	if o := e.Outcome; o.Granted != 3 || o.Revoked != 1 || *o.CompleteS != 0 || o.EndedBy != "gone" {
		t.Errorf("%+v, expected 3 granted, 1 revoked, complete at once, until an instance is gone", o)
	}
}

func TestExplainRefuses(t *testing.T) {
	set := synthetic(1, 40)
	if _, err := Explain(set, numbered(17), Question{}); err == nil || !strings.Contains(err.Error(),
		"no such run has a timeline; runs with a timeline: 0 (spotdnn") {
		t.Errorf("a run that is not there: %v", err)
	}
	if _, err := Explain(set, numbered(0), Question{AtS: -1}); err == nil || !strings.Contains(err.Error(), "no decision at or before -1 s") {
		t.Errorf("before the start: %v", err)
	}
	set.Spans = nil
	if _, err := Explain(set, firstRun, Question{}); !errors.Is(err, ErrNoTimelines) {
		t.Errorf("without timelines: %v", err)
	}
}
