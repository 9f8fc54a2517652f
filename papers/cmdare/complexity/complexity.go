// Package complexity has the families of step times by the work of a network (CM-DARE, ICDCS 2020), and the
// support-vector regression (FitSVR) of two of them. It registers the families (fit.Register).
package complexity

import (
	"errors"

	"github.com/marigram/marigram/calibrate/fit"
)

func init() {
	fit.Register(flopsLinear)
	fit.Register(flopsQuadratic)
	fit.Register(flopsPolynomial)
	fit.Register(flopsRadial)
}

// overFLOPs completes a family over the work of a network.
func overFLOPs(f fit.Family) fit.Family {
	f.Target, f.Inputs, f.Same = "step_time_s", []string{"gflops"}, []string{"gpu", "gpus", "batch_per_gpu"}
	return f
}

const flopsSource = "CM-DARE (ICDCS 2020), step time by the complexity of the network"

var flopsLinear = fit.LinearFamily(overFLOPs(fit.Family{
	Name:    "step-time-flops-linear",
	Formula: "step_time_s = a + b gflops",
	Source:  flopsSource,
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "step of a network without work"},
		{Name: "b", Unit: "s/GFLOP", Doc: "time of the work on a sample"},
	},
}), func(m *fit.Measurement) []float64 { return []float64{1, m.GFLOPs} })

var flopsQuadratic = fit.LinearFamily(overFLOPs(fit.Family{
	Name:    "step-time-flops-quadratic",
	Formula: "step_time_s = a + b gflops + c gflops^2",
	Source:  flopsSource,
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "step of a network without work"},
		{Name: "b", Unit: "s/GFLOP", Doc: "time of the work on a sample in a small network"},
		{Name: "c", Unit: "s/GFLOP^2", Doc: "growth of that time with the work"},
	},
}), func(m *fit.Measurement) []float64 { return []float64{1, m.GFLOPs, m.GFLOPs * m.GFLOPs} })

var (
	flopsPolynomial = supportVectors("step-time-flops-svr-poly", "(x z + 1)^2", Polynomial(2, 1, 1))
	flopsRadial     = supportVectors("step-time-flops-svr-rbf", "exp(-(x - z)^2)", RBF(1))
)

// The settings of CM-DARE's support-vector regressions of step times.
const flopsC, flopsEpsilon = 100, 0.01 // s

// supportVectors makes a family of support-vector regression with a kernel.
func supportVectors(name, formula string, kernel Kernel) fit.Family {
	f := overFLOPs(fit.Family{
		Name: name,
		Formula: "step_time_s = offset + sum of weight k(support, z), k(x, z) = " + formula +
			", z = (gflops - least) / (most - least)",
		Source: flopsSource + " scaled to 0 to 1, C = 100, epsilon = 0.01 s",
		Parameters: []fit.Parameter{
			{Name: "offset", Unit: "s", Doc: "added to the sum"},
			{Name: "least", Unit: "GFLOP", Doc: "least work of the networks that were fitted"},
			{Name: "most", Unit: "GFLOP", Doc: "most work of them"},
		},
		Repeated: []fit.Parameter{
			{Name: "support", Unit: "1", Doc: "work of a network at a support vector, scaled"},
			{Name: "weight", Unit: "s", Doc: "weight of the support vector"},
		},
	})
	f.Fit = func(rows []fit.Measurement) ([]float64, error) { return fitSupport(rows, kernel) }
	f.Predict = func(p []float64, m *fit.Measurement) float64 {
		z, y := []float64{(m.GFLOPs - p[1]) / (p[2] - p[1])}, p[0]
		for i := 3; i < len(p); i += 2 {
			y += p[i+1] * kernel(p[i:i+1], z)
		}
		return y
	}
	return f
}

func fitSupport(rows []fit.Measurement, kernel Kernel) ([]float64, error) {
	smallest, largest := rows[0].GFLOPs, rows[0].GFLOPs
	for _, r := range rows {
		smallest, largest = min(smallest, r.GFLOPs), max(largest, r.GFLOPs)
	}
	if smallest == largest {
		return nil, errors.New("the rows do not determine the parameters: all have one gflops")
	}
	x, y := make([][]float64, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		x[i], y[i] = []float64{(r.GFLOPs - smallest) / (largest - smallest)}, r.StepS
	}
	svr, err := FitSVR(x, y, SVRSettings{Kernel: kernel, C: flopsC, Epsilon: flopsEpsilon})
	if err != nil {
		return nil, err
	}
	out := []float64{svr.Offset, smallest, largest}
	at := map[float64]int{} // support vector: where its weight is, for rows of one network are one
	for i, s := range svr.Support {
		if k, ok := at[s[0]]; ok {
			out[k] += svr.Weight[i]
			continue
		}
		out = append(out, s[0], svr.Weight[i])
		at[s[0]] = len(out) - 1
	}
	return out, nil
}
