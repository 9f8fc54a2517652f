package calibrate

import (
	"math"
	"strings"
	"testing"
)

// What a family made is predicted from the rest of it; what it did not make is
// off by as much as it was moved.
func TestLeaveOut(t *testing.T) {
	p := grid(stepTimeLinear, []float64{0.1, 0.01})
	m, err := FitMeasured(stepTimeLinear, p, []string{"gpus=2"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	left, err := m.LeaveOut(p, "batch_per_gpu")
	if err != nil || len(left.Residuals) != 5 || left.Worst > 1e-9 || left.Mean > left.Worst {
		t.Fatalf("%+v, %v", left, err)
	}
	p.Rows[9].StepS *= 2 // the largest batch of two GPUs: 1.38 s by the others
	if left, err = m.LeaveOut(p, "batch_per_gpu"); err != nil || math.Abs(left.Residuals[4].Residual+1.38) > 1e-9 || left.Worst < .5 {
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
	p := grid(dataParallel, []float64{1, 0.1, 1, 1})
	m, err := FitMeasured(dataParallel, p, nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	left, err := m.LeaveOut(p, "gpus")
	if err != nil || len(left.Residuals) != 20 || left.Residuals[0].Line != p.Rows[5].Line || left.Worst > 1e-9 {
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

// The errors on Gavel's runs of one GPU, each batch left out: within the goal on
// a V100 and a K80, not on its P100, whose time a sample falls with the batch.
func TestLeaveOutGavel(t *testing.T) {
	p, err := PublishedMeasured("gavel-resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for gpu, want := range map[string][2]float64{"K80": {.0226, .0344}, "V100": {.0147, .0230}, "P100": {.2098, .3594}} {
		m, err := FitMeasured(stepTimeLinear, &Measured{Name: p.Name, Rows: p.Rows}, []string{"gpus=1", "gpu=" + gpu}, "test")
		if err != nil {
			t.Fatal(err)
		}
		left, err := m.LeaveOut(p, "batch_per_gpu")
		if err != nil || math.Abs(left.Mean-want[0]) > 1e-4 || math.Abs(left.Worst-want[1]) > 1e-4 {
			t.Errorf("%s: mean %v, worst %v, %v", gpu, left.Mean, left.Worst, err)
		}
	}
}

// The memory of a step is a line of the batch.
func TestMemoryLinear(t *testing.T) {
	p := grid(stepTimeLinear, []float64{0.1, 0.01})
	for i := range p.Rows {
		p.Rows[i].MemoryMB = 1000 + 90*float64(p.Rows[i].Batch)
	}
	m, err := FitMeasured(memoryLinear, p, nil, "test")
	if err != nil || math.Abs(m.Parameters[0].Value-1000) > 1e-6 || math.Abs(m.Parameters[1].Value-90) > 1e-6 {
		t.Fatalf("%+v, %v", m, err)
	}
	if left, err := m.LeaveOut(p, "batch_per_gpu"); err != nil || left.Worst > 1e-9 {
		t.Errorf("%+v, %v", left, err)
	}
}
