package calibrate

func init() {
	Register(stepTimeLinear)
	Register(stepTimeQuadratic)
	Register(dataParallel)
}

// stepTimeLinear is the usual form of the time of a step without exchange of
// gradients: a fixed part and one per sample.
var stepTimeLinear = linear(Family{
	Name:     "step-time-linear",
	Formula:  "step_time_s = a + b batch_per_gpu",
	Source:   "Pollux (OSDI 2021), T_grad; its public code fits logarithms, so relative errors as well",
	Target:   "step_time_s",
	Inputs:   []string{"batch_per_gpu"},
	Same:     []string{"model", "gpu", "gpus"},
	Relative: true,
	Parameters: []Parameter{
		{"a", "s", "fixed part of a step"},
		{"b", "s/sample", "time of a sample"},
	},
}, func(m *Measurement) []float64 { return []float64{1, float64(m.Batch)} })

// stepTimeQuadratic adds a curvature, as CM-DARE does over the complexity of
// networks; here over the batch.
var stepTimeQuadratic = linear(Family{
	Name:     "step-time-quadratic",
	Formula:  "step_time_s = a + b batch_per_gpu + c batch_per_gpu^2",
	Source:   "the form of CM-DARE's step time (ICDCS 2020), over the batch instead of the complexity",
	Target:   "step_time_s",
	Inputs:   []string{"batch_per_gpu"},
	Same:     []string{"model", "gpu", "gpus"},
	Relative: true,
	Parameters: []Parameter{
		{"a", "s", "fixed part of a step"},
		{"b", "s/sample", "time of a sample in a small batch"},
		{"c", "s/sample^2", "how that time grows with the batch"},
	},
}, func(m *Measurement) []float64 {
	b := float64(m.Batch)
	return []float64{1, b, b * b}
})

// dataParallel is synchronous training whose exchange of gradients takes a time
// that grows with the number of GPUs and does not overlap with computation.
var dataParallel = linear(Family{
	Name:     "data-parallel",
	Formula:  "step_time_s = a + b batch_per_gpu + sync, sync = 0 for 1 GPU, s + d (gpus - 2) for more",
	Source:   "Pollux (OSDI 2021), T_grad + T_sync on one kind of link without overlap (gamma = 1)",
	Target:   "step_time_s",
	Inputs:   []string{"batch_per_gpu", "gpus"},
	Same:     []string{"model", "gpu"},
	Relative: true,
	Parameters: []Parameter{
		{"a", "s", "fixed part of a step"},
		{"b", "s/sample", "time of a sample"},
		{"s", "s", "exchange between two GPUs"},
		{"d", "s", "exchange with each further GPU"},
	},
}, func(m *Measurement) []float64 {
	terms := []float64{1, float64(m.Batch), 0, 0}
	if m.GPUs > 1 {
		terms[2], terms[3] = 1, float64(m.GPUs-2)
	}
	return terms
})
