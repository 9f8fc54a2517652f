package fit_test

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// What a family made is predicted from the rest of it; what it did not make is
// off by as much as it was moved.
func TestLeaveOut(t *testing.T) {
	check := near.Count(t)
	p := fit.Grid(named(t, "step-time-linear"), []float64{0.1, 0.01})
	m, err := fit.Fit(named(t, "step-time-linear"), p, []string{"gpus=2"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	left, err := m.LeaveOut(p, "batch_per_gpu")
	if err != nil || len(left.Residuals) != 5 || check.Above(left.Worst, 1e-9) || check.Above(left.Mean, left.Worst) {
		t.Fatalf("%+v, %v", left, err)
	}
	p.Rows[9].StepS *= 2 // the largest batch of two GPUs: 1.38 s by the others
	if left, err = m.LeaveOut(p, "batch_per_gpu"); err != nil || check.Off(left.Residuals[4].Residual, -1.38, 1e-9) || check.Below(left.Worst, .5) {
		t.Errorf("%+v, %v", left, err)
	}
	for column, says := range map[string]string{
		"speed": `no column "speed"; there are model`,
		"gpu":   "grid.csv: 0 rows without gpu g, expected at least 2 for step-time-linear",
	} {
		if _, err := m.LeaveOut(p, column); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: got %v, expected %s", column, err, says)
		}
	}
}

// A value without which nothing can be fitted is named, and the others are
// predicted: without the runs of one GPU the exchange cannot be told from the rest.
func TestLeaveOutWhatItCan(t *testing.T) {
	check := near.Count(t)
	p := fit.Grid(named(t, "data-parallel"), []float64{1, 0.1, 1, 1})
	m, err := fit.Fit(named(t, "data-parallel"), p, nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	left, err := m.LeaveOut(p, "gpus")
	if err != nil || len(left.Residuals) != 20 || left.Residuals[0].Line != p.Rows[5].Line || check.Above(left.Worst, 1e-9) {
		t.Fatalf("%+v, %v", left, err)
	}
	if len(left.Unfitted) != 1 || left.Unfitted[0].Value != "1" || !strings.Contains(left.Unfitted[0].Why, "do not determine") {
		t.Errorf("%+v", left.Unfitted)
	}
	p.Rows = p.Rows[:10] // one and two GPUs: neither can be left out
	if left, err := m.LeaveOut(p, "gpus"); err == nil {
		t.Errorf("%+v", left)
	}
}
