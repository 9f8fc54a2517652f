package gpu

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/fit"
)

func init() { fit.Register(roofline) }

// roofline estimates the time of a step on a GPU that was not measured: each
// layer takes what its arithmetic or its memory takes, whichever is more, on a
// GPU that reaches the same shares of the peaks of its data sheet as those that
// were fitted. The backward pass counts as two forward passes; weights are read
// in both, and eight times with gradients and the update by momentum. fp32.
var roofline = fit.Family{
	Name: "roofline",
	Formula: "step_time_s = a + sum over layers of max(3 gflop batch_per_gpu / (e peak), (12 moved " +
		"batch_per_gpu + 32 weights) / (m bandwidth))",
	Source: "the roofline model (Williams, Waterman and Patterson, CACM 2009) by layer; layers and GPUs: " +
		"facts/network_layers.csv, facts/gpus.csv",
	Target: "step_time_s",
	Inputs: []string{"batch_per_gpu"},
	Same:   []string{"model", "gpus"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "fixed part of a step"},
		{Name: "e", Unit: "1", Doc: "share of a GPU's fp32 peak that is reached, below 1"},
		{Name: "m", Unit: "1", Doc: "share of a GPU's memory bandwidth that is reached, below 1"},
	},
	Estimate: "an estimate from data sheets, not a measurement",
	Knows: func(m *fit.Measurement) error {
		_, _, err := rooflineOf(m)
		return err
	},
	Fit: fitRoofline,
	Predict: func(parameters []float64, m *fit.Measurement) float64 {
		gpu, layers, err := rooflineOf(m)
		if err != nil {
			return math.NaN()
		}
		return rooflineSeconds(parameters, gpu, layers, float64(m.Batch))
	},
}

type gpuFact struct {
	GPU    string  `col:"gpu"`
	TFLOPS float64 `col:"tflops"`   // fp32 peak, TFLOP/s
	GBPerS float64 `col:"gb_per_s"` // peak of the memory
}

type layerFact struct {
	Network string  `col:"model"`
	Count   float64 `col:"count"`
	GFLOP   float64 `col:"gflop"`     // forward pass of a sample
	Moved   float64 `col:"moved_m"`   // inputs and outputs of a sample, millions
	Weights float64 `col:"weights_m"` // millions
}

// rooflineOf returns the GPU and the layers of a row. An error if a table does
// not have them.
func rooflineOf(m *fit.Measurement) (gpu gpuFact, layers []layerFact, err error) {
	for _, g := range facts.Read[gpuFact]("gpus") {
		if g.GPU == m.GPU {
			gpu = g
		}
	}
	for _, l := range facts.Read[layerFact]("network_layers") {
		if l.Network == m.Model {
			layers = append(layers, l)
		}
	}
	switch {
	case gpu.GPU == "":
		err = fmt.Errorf("gpu %q is not in facts/gpus.csv", m.GPU)
	case layers == nil:
		err = fmt.Errorf("model %q is not in facts/network_layers.csv", m.Model)
	}
	return gpu, layers, err
}

// rooflineSeconds returns the time of a step; parameters are a, e, m.
func rooflineSeconds(parameters []float64, gpu gpuFact, layers []layerFact, batch float64) float64 {
	sum := parameters[0]
	for _, l := range layers {
		compute := 3 * l.GFLOP * batch / (parameters[1] * gpu.TFLOPS * 1e3)
		memory := (12*l.Moved*batch + 32*l.Weights) / (parameters[2] * gpu.GBPerS * 1e3)
		sum += float64(l.Count * max(compute, memory))
	}
	return sum
}

// fitRoofline takes the least squares of relative errors, as the GPUs of a fit
// differ several times in speed.
func fitRoofline(rows []fit.Measurement) ([]float64, error) {
	gpus, layers := make([]gpuFact, len(rows)), make([][]layerFact, len(rows))
	for i := range rows {
		var err error
		if gpus[i], layers[i], err = rooflineOf(&rows[i]); err != nil {
			return nil, err
		}
	}
	share := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	parameters := func(x []float64) []float64 { return []float64{math.Exp(x[0]), share(x[1]), share(x[2])} }
	smallest := math.Inf(1)
	for i := range rows {
		smallest = min(smallest, rows[i].StepS)
	}
	start := []float64{math.Log(smallest / 10), 0, 0}
	best, err := fit.LeastSquares([][]float64{start}, func(x []float64) float64 {
		squares := 0.
		for i := range rows {
			off := rooflineSeconds(parameters(x), gpus[i], layers[i], float64(rows[i].Batch))/rows[i].StepS - 1
			squares += off * off
		}
		return squares
	})
	if err != nil {
		return nil, err
	}
	return parameters(best.X), nil
}
