package plots

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// jobsSet is two runs of three jobs on two servers of two GPUs, and one of a hundred GPUs.
func jobsSet() *results.Set {
	s := &results.Set{}
	for run, policy := range []string{"fifo", "las"} {
		id := int64(run)
		s.Summaries = append(s.Summaries, results.Summary{Run: id, Policy: policy, Scenario: "study", Objective: "three jobs", Seed: 1, Jobs: 3,
			JCTMeanS: ptr(7200.0 * float64(run+1)), InstanceH: 9, UsefulH: 8, Deadlines: 4, Punctual: int64(run + 2), CostUSD: 10 - 3*float64(run)})
		for j, h := range []float64{0.5, 2, 30} {
			s.Jobs = append(s.Jobs, results.Job{Run: id, Number: int64(j), JCTS: ptr(3600 * h * float64(run+1)), QueueS: ptr(600 * h)})
		}
		s.Jobs = append(s.Jobs, results.Job{Run: id, Number: 3}) // not done
		for k, held := range []int32{1, 4, 2, 0} {
			s.Spans = append(s.Spans, results.Span{Run: id, StartS: 3600 * float64(k), EndS: 3600 * float64(k+1), Pool: "v100", Capacity: ptr(int32(4)), Ready: held,
				GPUsWanted: int32(3-k) * int32(run+1)})
		}
		for k, used := range []int{1, 4, 2} {
			s.Decisions = append(s.Decisions, results.Decision{Run: id, AtS: 3600 * float64(k), Inputs: fmt.Sprintf("all %d GPUs used; all 4 GPUs nominal", used)})
		}
		for j, x := range [][2]float64{{0, 7200}, {600, 9000}, {7200, 10800}, {1000, 1010}} {
			s.Instances = append(s.Instances, results.Instance{Run: id, Job: int64(j), Pool: fmt.Sprintf("v100-%d", 2*(j%2)+8), GrantedS: x[0], EndS: x[1]})
		}
	}
	return s
}

// crowd is a run on more GPUs than can have a row each.
func crowd() *results.Run {
	r := &results.Run{Summary: results.Summary{Policy: "las", Scenario: "study", Objective: "a crowd"}}
	for i := range 150 {
		r.Instances = append(r.Instances, results.Instance{Job: int64(i), Pool: fmt.Sprintf("v100-%d", i/8), GrantedS: float64(i * 60), EndS: float64(9000 +
			i*97%3600)})
	}
	return r
}

func crowdFigure(t *testing.T) *canvas.Figure {
	f, err := Placement(crowd())
	return must(t, f, err)
}

func TestSaveJobs(t *testing.T) {
	paths, err := Save(t.TempDir(), jobsSet())
	if err != nil || len(paths) != 3*6 {
		t.Errorf("%d files, want 18: %v, %v", len(paths), paths, err)
	}
}

func TestNoJobs(t *testing.T) {
	if _, err := CompletionTimes(nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if _, err := Load(nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if _, err := Placement(&results.Run{}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if _, err := CostCompletion(nil); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1, 1e300} {
		r := results.Run{Instances: []results.Instance{{EndS: bad}}}
		if _, err := Placement(&r); err == nil {
			t.Errorf("%v is drawn", bad)
		}
		if _, err := CostCompletion([]results.Summary{{Jobs: 2, JCTMeanS: &bad}}); err == nil {
			t.Errorf("%v is drawn", bad)
		}
	}
}

// Rows of a server are as many as it had GPUs in use at one time, and servers come in the order of
// their numbers.
func TestGPURows(t *testing.T) {
	rows := gpuRowsOf([]results.Instance{{Pool: "s-10", GrantedS: 0, EndS: 5}, {Pool: "s-2", GrantedS: 0, EndS: 5}, {Pool: "s-2", GrantedS: 5, EndS: 9},
		{Pool: "s-2", GrantedS: 4, EndS: 6}})
	if len(rows) != 3 || rows[0].pool != "s-2" || len(rows[0].held) != 2 || rows[2].pool != "s-10" {
		t.Errorf("%+v", rows)
	}
}
