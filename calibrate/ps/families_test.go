package ps

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

// From rows that a family made its fit finds the parameters back, and the model
// file predicts the same when it is read.
func TestFamiliesFindParameters(t *testing.T) {
	check := near.Count(t)
	var servers, losses, mixed, capacity, distances, work []fit.Measurement
	for n := 1; n <= 16; n++ {
		x := float64(n)
		servers = append(servers, fit.Measurement{Instances: n, WorkerMBps: 120, ServerMBps: 400})
		losses = append(losses, fit.Measurement{Instances: 1 + n%4, WorkerBatch: float64(64 * (1 + n%3)), Loss: .5 + .1*x})
		mixed = append(mixed, fit.Measurement{Instances: 1 + n%4, WorkerBatch: float64(64 * (1 + n%3)), Loss: .5 + .1*x, Convergence: .5 + .1*float64(n%5)})
		capacity = append(capacity, fit.Measurement{GPUs: n, AloneStepsPerS: 4 * x})
		distances = append(distances, fit.Measurement{NearStepS: .1 * x, LatencyMs: 10 + x, GradientMB: 3 * float64(n%5)})
		work = append(work, fit.Measurement{GFLOPs: x, CheckpointMB: 6 * x, LostSteps: 1500 + 100*x})
	}
	for _, c := range []struct {
		family fit.Family
		want   []float64
		rows   []fit.Measurement
		off    float64
	}{
		{psBandwidth, []float64{.4, -.6}, servers, 1e-3},
		{lossEven, []float64{9, .2, 40, .3}, losses, 1e-2},
		{lossMixed, []float64{9, .2, 40, .8, .3}, mixed, 2e-2},
		{psCapacity, []float64{1.05, 30, 4}, capacity, 1e-2},
		{psDistance, []float64{.7, 130}, distances, 1e-3},
		{rollBack, []float64{1280, .11}, work, 1e-9},
		{checkpointTime, []float64{3.7, .02}, work, 1e-9},
	} {
		t.Run(c.family.Name, func(t *testing.T) {
			p := fit.Synthetic(c.family, c.want, append([]fit.Measurement{}, c.rows...))
			m, err := fit.Fit(c.family, p, nil, "test")
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range m.Parameters {
				if check.Off(v.Value/c.want[i], 1, c.off) {
					t.Errorf("%s is %v, made with %v", v.Name, v.Value, c.want[i])
				}
			}
			if m.Errors.HeldOut == nil || check.Above(*m.Errors.HeldOut, c.off) {
				t.Errorf("held out: %v", m.Errors.HeldOut)
			}
			fit.SameFromFile(t, m, p)
		})
	}
}

func TestStartUpFamily(t *testing.T) {
	check := near.Count(t)
	var starts []fit.Measurement
	for i, s := range []float64{50, 50, 70, 200, 200} {
		starts = append(starts, fit.Measurement{GPU: "g", StartupS: s, Line: i + 2})
	}
	m, err := fit.Fit(startUp, &fit.Measured{Name: "s.csv", Rows: starts}, nil, "test")
	if err != nil || !m.Residuals[2].HeldOut || check.OffRel(m.Parameters[0].Value, 100, 1e-6) || check.OffRel(m.Parameters[1].Value, math.Ln2, 1e-9) {
		t.Errorf("%+v, %v", m, err) // the third row is held out
	}
	fit.SameFromFile(t, m, &fit.Measured{Name: "s.csv", Rows: starts})
}

// A loss that training never reaches has no prediction, and says where.
func TestNoPrediction(t *testing.T) {
	var rows []fit.Measurement
	for n := 1; n <= 8; n++ {
		rows = append(rows, fit.Measurement{Instances: n, WorkerBatch: float64(64 * n), Loss: 1 + .1*float64(n)})
	}
	p := fit.Synthetic(lossEven, []float64{9, .2, 40, .9}, rows)
	m, err := fit.Fit(lossEven, p, nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	p.Rows[3].Loss = .5
	if _, _, err := m.Check(p); err == nil || !strings.HasPrefix(err.Error(), "made.csv:5: iterations: ") {
		t.Errorf("got %v", err)
	}
}
