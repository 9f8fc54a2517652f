package calibrate

func init() { Register(memoryLinear) }

// memoryLinear is the GPU memory of a step: weights, gradients and what the
// optimiser keeps, and activations of each sample. A GPU of c MB trains batches of
// at most (c - a) / b samples.
var memoryLinear = linear(Family{
	Name:    "memory-linear",
	Formula: "memory_mb = a + b batch_per_gpu",
	Source:  "the usual form; spotDNN, Eq. 10 is its inverse",
	Target:  "memory_mb",
	Inputs:  []string{"batch_per_gpu"},
	Same:    []string{"model", "gpu"},
	Parameters: []Parameter{
		{"a", "MB", "weights, gradients and state of the optimiser"},
		{"b", "MB/sample", "activations of a sample"},
	},
}, func(m *Measurement) []float64 { return []float64{1, float64(m.Batch)} })
