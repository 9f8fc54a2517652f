package plots

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots/canvas"
)

// failingRun is a run of ten hours with outages of three servers and of two machines of a pool.
func failingRun() *results.Run {
	end := 36000.0
	r := &results.Run{Summary: results.Summary{Run: 3, Policy: "fifo", Scenario: "study", Objective: "a job", Seed: 4, FinishS: &end}}
	for _, x := range []results.Outage{
		{Pool: "H100-10", Machine: 10, UntilS: 3600, Cause: "recorded", End: results.Repaired},
		{Pool: "H100-2", Machine: 2, FromS: 1800, UntilS: 9000, Cause: "failed", End: results.Repaired},
		{Pool: "H100-3", Machine: 3, FromS: 9000, UntilS: 10800, Cause: "misdiagnosed", End: results.Repaired},
		{Pool: "block", Machine: 1, FromS: 12000, UntilS: 36000, Cause: "failed", End: results.Retired},
		{Pool: "H100-2", Machine: 2, FromS: 18000, UntilS: 18001, Cause: "failed", End: results.Repaired},
		{Pool: "block", FromS: 30000, UntilS: 36000, Cause: "failed", End: results.Down},
	} {
		x.Run = 3
		r.Outages = append(r.Outages, x)
	}
	return r
}

func outagesFigure(t *testing.T) *canvas.Figure {
	f, err := Outages(failingRun())
	return must(t, f, err)
}

// One that ends when another begins does not add to it.
func TestDownOver(t *testing.T) {
	check := near.Count(t)
	steps, mean, top := downOver([]results.Outage{{FromS: 0, UntilS: 3600}, {FromS: 1800, UntilS: 3600}, {FromS: 3600, UntilS: 7200}}, 4)
	want := plotter.XYs{{}, {X: 0, Y: 0}, {X: 0, Y: 1}, {X: 0.5, Y: 1}, {X: 0.5, Y: 2}, {X: 1, Y: 2}, {X: 1, Y: 1}, {X: 2, Y: 1}, {X: 2, Y: 0}, {X: 4, Y: 0}}
	if len(steps) != len(want) || top != 2 || check.Outside(mean, 2.5/4, 2.5/4) {
		t.Fatalf("%v, mean %v, top %v", steps, mean, top)
	}
	for i := range want {
		if steps[i] != want[i] {
			t.Errorf("point %d: %v, want %v", i, steps[i], want[i])
		}
	}
}

func TestDownRows(t *testing.T) {
	var names []string
	for _, r := range downRows(failingRun().Outages) {
		names = append(names, r.name)
	}
	if want := [...]string{"H100-2", "H100-3", "H100-10", "block: 0", "block: 1"}; len(names) != len(want) || [5]string(names) != want {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestBadOutages(t *testing.T) {
	if _, err := Outages(&results.Run{}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1, 1e300} {
		r := failingRun()
		r.Outages[0].UntilS = bad
		if _, err := Outages(r); err == nil {
			t.Errorf("%v is drawn", bad)
		}
	}
}
