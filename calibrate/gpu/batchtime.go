package gpu

import "github.com/marigram/marigram/calibrate/fit"

func init() {
	fit.Register(StepTimeLinear)
	fit.Register(stepTimeQuadratic)
	fit.Register(dataParallel)
}

// StepTimeLinear is the usual form of the time of a step without exchange of
// gradients: a fixed part and one per sample.
var StepTimeLinear = fit.LinearFamily(fit.Family{
	Name:     "step-time-linear",
	Formula:  "step_time_s = a + b batch_per_gpu",
	Source:   "Pollux (OSDI 2021), T_grad; its public code fits logarithms, so relative errors as well",
	Target:   "step_time_s",
	Inputs:   []string{"batch_per_gpu"},
	Same:     []string{"model", "gpu", "gpus"},
	Relative: true,
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "fixed part of a step"},
		{Name: "b", Unit: "s/sample", Doc: "time of a sample"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{1, float64(m.Batch)} })

// stepTimeQuadratic adds a curvature, as CM-DARE does over the complexity of
// networks; here over the batch.
var stepTimeQuadratic = fit.LinearFamily(fit.Family{
	Name:     "step-time-quadratic",
	Formula:  "step_time_s = a + b batch_per_gpu + c batch_per_gpu^2",
	Source:   "the form of CM-DARE's step time (ICDCS 2020), over the batch instead of the complexity",
	Target:   "step_time_s",
	Inputs:   []string{"batch_per_gpu"},
	Same:     []string{"model", "gpu", "gpus"},
	Relative: true,
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "fixed part of a step"},
		{Name: "b", Unit: "s/sample", Doc: "time of a sample in a small batch"},
		{Name: "c", Unit: "s/sample^2", Doc: "growth of that time with the batch"},
	},
}, func(m *fit.Measurement) []float64 {
	b := float64(m.Batch)
	return []float64{1, b, b * b}
})

// dataParallel is synchronous training whose exchange of gradients takes a time
// that grows with the number of GPUs and does not overlap with computation.
var dataParallel = fit.LinearFamily(fit.Family{
	Name:     "data-parallel",
	Formula:  "step_time_s = a + b batch_per_gpu + sync, sync = 0 for 1 GPU, s + d (gpus - 2) for more",
	Source:   "Pollux (OSDI 2021), T_grad + T_sync on one kind of link without overlap (gamma = 1)",
	Target:   "step_time_s",
	Inputs:   []string{"batch_per_gpu", "gpus"},
	Same:     []string{"model", "gpu"},
	Relative: true,
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "fixed part of a step"},
		{Name: "b", Unit: "s/sample", Doc: "time of a sample"},
		{Name: "s", Unit: "s", Doc: "exchange between two GPUs"},
		{Name: "d", Unit: "s", Doc: "exchange with each further GPU"},
	},
}, func(m *fit.Measurement) []float64 {
	terms := []float64{1, float64(m.Batch), 0, 0}
	if m.GPUs > 1 {
		terms[2], terms[3] = 1, float64(m.GPUs-2)
	}
	return terms
})
