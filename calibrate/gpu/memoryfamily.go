package gpu

import "github.com/marigram/marigram/calibrate/fit"

func init() { fit.Register(MemoryLinear) }

// MemoryLinear is the GPU memory of a step: weights, gradients and what the
// optimiser keeps, and activations of each sample. A GPU of c MB trains batches of
// at most (c - a) / b samples.
var MemoryLinear = fit.LinearFamily(fit.Family{
	Name:    "memory-linear",
	Formula: "memory_mb = a + b batch_per_gpu",
	Source:  "the usual form; spotDNN, Eq. 10 is its inverse",
	Target:  "memory_mb",
	Inputs:  []string{"batch_per_gpu"},
	Same:    []string{"model", "gpu"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "MB", Doc: "weights, gradients and optimiser state"},
		{Name: "b", Unit: "MB/sample", Doc: "activations of a sample"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{1, float64(m.Batch)} })
