package complexity

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

// From rows that a family made its fit finds the parameters back, and the model file predicts the same when it is read.
func TestFamiliesFindParameters(t *testing.T) {
	check := near.Count(t)
	for _, c := range []struct {
		family fit.Family
		want   []float64
		off    float64
	}{
		{flopsLinear, []float64{.1, .06}, 1e-9},
		{flopsQuadratic, []float64{.1, .06, .002}, 1e-6},
	} {
		var work []fit.Measurement
		for n := 1; n <= 16; n++ {
			work = append(work, fit.Measurement{GFLOPs: float64(n)})
		}
		p := fit.Synthetic(c.family, c.want, work)
		m, err := fit.Fit(c.family, p, nil, "test")
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range m.Parameters {
			if check.Off(v.Value/c.want[i], 1, c.off) {
				t.Errorf("%s: %s is %v, made with %v", c.family.Name, v.Name, v.Value, c.want[i])
			}
		}
		fit.SameFromFile(t, m, p)
	}
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
	kernel := map[string]Kernel{"svr-poly": Polynomial(2, 1, 1), "svr-rbf": RBF(1)}[kind]
	m, err := FitSVR(train, y, SVRSettings{Kernel: kernel, C: 100, Epsilon: .01})
	if err != nil {
		t.Fatal(err)
	}
	for _, z := range x {
		predicted = append(predicted, m.Predict(z))
	}
	return predicted
}
