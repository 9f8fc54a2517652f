package gpu

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// From runs that a family made, its fit finds the parameters back.
func TestFitFindsParameters(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		family fit.Family
		where  []string
		max    []float64
		off    float64
	}{
		{StepTimeLinear, []string{"gpus=1"}, []float64{1, 0.1}, 1e-9},
		{stepTimeQuadratic, []string{"gpus=2"}, []float64{1, 0.1, 0.001}, 1e-6},
		{dataParallel, nil, []float64{1, 0.1, 1, 1}, 1e-9},
	} {
		t.Run(c.family.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var want []float64
				for i, largest := range c.max {
					want = append(want, rapid.Float64Range(largest/100, largest).Draw(t, c.family.Parameters[i].Name))
				}
				m, err := fit.Fit(c.family, fit.Grid(c.family, want), c.where, "test")
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range m.Parameters {
					if check.Off(p.Value, want[i], c.off*c.max[i]) {
						t.Fatalf("%s is %v, made with %v", p.Name, p.Value, want[i])
					}
				}
				if m.Errors.HeldOut == nil || check.Above(*m.Errors.HeldOut, 1e-6) {
					t.Fatalf("held out: %v", m.Errors.HeldOut)
				}
			})
		})
	}
}

// DEVIATIONS.md: what a link that is the same between all GPUs leaves out.
func TestDataParallelAgainstGavel(t *testing.T) {
	check := near.Count(t)
	p, err := fit.PublishedMeasured("gavel-resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for gpu, want := range map[string][2]float64{"K80": {0.028, 0.083}, "P100": {0.055, 0.046}, "V100": {0.095, 0.048}} {
		m, err := fit.Fit(dataParallel, p, []string{"gpu=" + gpu}, "test")
		if err != nil {
			t.Fatal(err)
		}
		if check.Off(*m.Errors.Fitted, want[0], 0.001) || check.Off(*m.Errors.HeldOut, want[1], 0.001) {
			t.Errorf("%s: errors %v, held out %v, documented %v", gpu, *m.Errors.Fitted, *m.Errors.HeldOut, want)
		}
	}
}

// The errors on Gavel's runs of one GPU, each batch left out: within the goal on
// a V100 and a K80, not on its P100, whose time a sample falls with the batch.
func TestLeaveOutGavel(t *testing.T) {
	check := near.Count(t)
	p, err := fit.PublishedMeasured("gavel-resnet50")
	if err != nil {
		t.Fatal(err)
	}
	for gpu, want := range map[string][2]float64{"K80": {.0226, .0344}, "V100": {.0147, .0230}, "P100": {.2098, .3594}} {
		m, err := fit.Fit(StepTimeLinear, &fit.Measured{Name: p.Name, Rows: p.Rows}, []string{"gpus=1", "gpu=" + gpu}, "test")
		if err != nil {
			t.Fatal(err)
		}
		left, err := m.LeaveOut(p, "batch_per_gpu")
		if err != nil || check.Off(left.Mean, want[0], 1e-4) || check.Off(left.Worst, want[1], 1e-4) {
			t.Errorf("%s: mean %v, worst %v, %v", gpu, left.Mean, left.Worst, err)
		}
	}
}
