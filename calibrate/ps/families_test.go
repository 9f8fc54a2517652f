package ps

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/facts"
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
		{flopsLinear, []float64{.1, .06}, work, 1e-9},
		{flopsQuadratic, []float64{.1, .06, .002}, work, 1e-6},
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

// cmdareSteps are the measured steps of CM-DARE's 20 networks on one GPU.
func cmdareSteps(gpu string) *fit.Measured {
	type network struct {
		Name  string  `col:"model"`
		FLOPs float64 `col:"flops"`
	}
	type stepTime struct {
		GPU     string  `col:"gpu"`
		Network string  `col:"model"`
		Seconds float64 `col:"step_s"`
	}
	flops := map[string]float64{}
	for _, n := range facts.Read[network]("cmdare_networks") {
		flops[n.Name] = n.FLOPs / 1e9
	}
	p := &fit.Measured{Name: "cmdare.csv"}
	for i, r := range facts.Read[stepTime]("cmdare_step_times") {
		if r.GPU == gpu {
			p.Rows = append(p.Rows, fit.Measurement{Model: r.Network, GPU: gpu, GPUs: 1, GFLOPs: flops[r.Network], StepS: r.Seconds, Line: i + 2})
		}
	}
	return p
}

var flopsModels = map[string]*fit.Model{} // by GPU and family: support vectors take a while

// flopsModel returns a family fitted to the steps on one GPU.
func flopsModel(t *testing.T, f fit.Family, gpu string) fit.Model {
	t.Helper()
	key := gpu + f.Name
	if flopsModels[key] == nil {
		m, err := fit.Fit(f, cmdareSteps(gpu), nil, "test")
		if err != nil {
			t.Fatal(err)
		}
		flopsModels[key] = m
	}
	return *flopsModels[key]
}

// DEVIATIONS.md: what the work of a network leaves out of its step time.
func TestFLOPsFamiliesAgainstCMDARE(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		gpu    string
		family fit.Family
		held   float64
	}{
		{"K80", flopsLinear, .128}, {"K80", flopsQuadratic, .077}, {"K80", flopsPolynomial, .067}, {"K80", flopsRadial, .047},
		{"P100", flopsLinear, .150}, {"P100", flopsQuadratic, .099}, {"P100", flopsPolynomial, .094}, {"P100", flopsRadial, .062},
	} {
		m := flopsModel(t, c.family, c.gpu)
		if check.Off(*m.Errors.HeldOut, c.held, .001) {
			t.Errorf("%s on %s: held out %v, documented %v", c.family.Name, c.gpu, *m.Errors.HeldOut, c.held)
		}
	}
}

// Support vectors in a model file predict as the regression of CM-DARE's step
// times does that they come from, by no more vectors than networks.
func TestSupportVectorFamilies(t *testing.T) {
	check := near.Count(t)
	for _, gpu := range []string{"K80", "P100"} {
		p := cmdareSteps(gpu)
		for kind, f := range map[string]fit.Family{"svr-poly": flopsPolynomial, "svr-rbf": flopsRadial} {
			m := flopsModel(t, f, gpu)
			fit.SameFromFile(t, &m, p)
			if n := len(m.Parameters); n > 3+2*20 {
				t.Errorf("%s %s: %d parameters of 20 networks", gpu, kind, n)
			}
			want := regressed(t, kind, p.Rows, m.Residuals)
			for i, r := range m.Residuals {
				if check.OffRel(r.Predicted, want[i], 1e-9) {
					t.Fatalf("%s %s, line %d: %v, the regression has %v", gpu, kind, r.Line, r.Predicted, want[i])
				}
			}
			m.Parameters = m.Parameters[:len(m.Parameters)-1]
			data, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fit.ReadModel("m.json", bytes.NewReader(data)); err == nil {
				t.Error("accepted a support vector without its weight")
			}
		}
	}
	one := &fit.Measured{Name: "one.csv", Rows: []fit.Measurement{{GFLOPs: 1, StepS: 1}, {GFLOPs: 1, StepS: 1}, {GFLOPs: 1, StepS: 2}, {GFLOPs: 1, StepS: 2}}}
	if _, err := fit.Fit(flopsRadial, one, nil, "test"); err == nil || !strings.Contains(err.Error(), "all have one gflops") {
		t.Errorf("got %v", err)
	}
}

// regressed predicts rows by the regression of those that are not held out.
func regressed(t *testing.T, kind string, rows []fit.Measurement, residuals []fit.Residual) (predicted []float64) {
	t.Helper()
	smallest, largest := math.Inf(1), 0.
	for _, r := range rows {
		smallest, largest = min(smallest, r.GFLOPs), max(largest, r.GFLOPs)
	}
	var x, train [][]float64
	var y []float64
	for i, r := range rows {
		x = append(x, []float64{(r.GFLOPs - smallest) / (largest - smallest)})
		if !residuals[i].HeldOut {
			train, y = append(train, x[i]), append(y, r.StepS)
		}
	}
	kernel := map[string]fit.Kernel{"svr-poly": fit.Polynomial(2, 1, 1), "svr-rbf": fit.RBF(1)}[kind]
	m, err := fit.FitSVR(train, y, fit.SVRSettings{Kernel: kernel, C: 100, Epsilon: .01})
	if err != nil {
		t.Fatal(err)
	}
	for _, z := range x {
		predicted = append(predicted, m.Predict(z))
	}
	return predicted
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
