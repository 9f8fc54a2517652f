package experiments

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// What comes back is what was put there: numbers to the last bit, none unlike zero.
func TestSpill(t *testing.T) {
	zero, none, late := int32(0), false, math.Nextafter(1, 2)
	want := results.Set{
		Spans:     []results.Span{{Run: -3, Pool: "a", Capacity: &zero, Loss: math.Inf(1), Ready: 7}, {Run: math.MaxInt64, Pool: "a", Market: "b\x00"}},
		Instances: []results.Instance{{ReadyS: &late, EndS: math.Copysign(0, -1)}, {}},
		Jobs:      []results.Job{{DeadlineMet: &none}},
		Decisions: []results.Decision{{Changed: true, Reason: "a"}},
	}
	var s spill
	if err := errors.Join(s.put(4, &want), s.put(2, &results.Set{}), s.put(9, &want)); err != nil {
		t.Fatal(err)
	}
	for _, run := range []int64{9, 4} {
		got, err := s.get(run)
		if err != nil || !reflect.DeepEqual(got, &want) || math.Signbit(got.Instances[0].EndS) != true {
			t.Errorf("run %d: %+v, %v, want %+v", run, got, err, want)
		}
	}
	if got, err := s.get(3); got != nil || err != nil {
		t.Errorf("a run that is not there: %+v, %v", got, err)
	}
	s.close()
}

// Rows has all timelines run by run, in the order of the runs on any number of cores, and what Run returns keeps those
// of the first seed.
func TestRows(t *testing.T) {
	whole := study(t, "specs/quickstart.yaml", 3)
	whole.Timelines = 3
	want := runStudy(t, whole)
	for _, cores := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		s := study(t, "specs/quickstart.yaml", 3)
		s.Timelines = 3
		var got results.Set
		calls := 0
		s.Rows = func(rows *results.Set) error {
			calls++
			got.Spans, got.Decisions = append(got.Spans, rows.Spans...), append(got.Decisions, rows.Decisions...)
			got.Candidates, got.Instances = append(got.Candidates, rows.Candidates...), append(got.Instances, rows.Instances...)
			return nil
		}
		kept := runStudy(t, s)
		if calls != s.Runs() || !reflect.DeepEqual(got, results.Set{Spans: want.Spans, Decisions: want.Decisions, Candidates: want.Candidates,
			Instances: want.Instances}) {
			t.Errorf("%d cores: %d calls, want %d, with the rows of all runs", cores, calls, s.Runs())
		}
		if !reflect.DeepEqual(kept.Summaries, want.Summaries) || len(kept.Spans) == 0 {
			t.Errorf("%d cores: %d runs, %d spans of the first seed", cores, len(kept.Summaries), len(kept.Spans))
		}
		for _, x := range kept.Spans {
			if x.Seed != s.Spec.Seed {
				t.Fatalf("%d cores: the spans of seed %d are kept", cores, x.Seed)
			}
		}
	}
	failing, refused := study(t, "specs/quickstart.yaml", 1), errors.New("disk full")
	failing.Rows = func(*results.Set) error { return refused }
	if _, err := failing.Run(context.Background()); !errors.Is(err, refused) {
		t.Errorf("got %v, want %v", err, refused)
	}
}
