package ps

import "github.com/marigram/marigram/calibrate/fit"

func init() {
	fit.Register(psCapacity)
	fit.Register(psContention)
}

// psContention is asynchronous training in which n GPUs, a worker each, share
// what the parameter servers can take: Capacity by the time of a step, with
// Gain times the speed of a worker as one parameter.
var psContention = fit.Family{
	Name:    "ps-contention",
	Formula: "step_time_s = gpus ((gpus v)^-p + cap^-p)^(1/p)",
	Source:  "fitted to the cluster speeds of CM-DARE (ICDCS 2020) and ICAC 2019; the papers have no such law",
	Target:  "step_time_s",
	Inputs:  []string{"gpus"},
	Same:    []string{"model", "gpu", "batch_per_gpu", "parameter_servers"},
	Parameters: []fit.Parameter{
		{Name: "v", Unit: "steps/s", Doc: "speed of a worker alone"},
		{Name: "cap", Unit: "steps/s", Doc: "capacity of the parameter servers"},
		{Name: "p", Unit: "1", Doc: "sharpness of the bend, at least 1"},
	},
	Fit: fitContention,
	Predict: func(x []float64, m *fit.Measurement) float64 {
		n := float64(m.GPUs)
		return n / Capacity{Gain: x[0], Cap: x[1], P: x[2]}.Speed(n)
	},
}

func fitContention(rows []fit.Measurement) ([]float64, error) {
	alone := 0.0 // about the speed of a worker alone, from which the search starts
	for i := range rows {
		alone = max(alone, 1/rows[i].StepS)
	}
	points := make([]SpeedPoint, len(rows))
	for i := range rows {
		n := float64(rows[i].GPUs)
		points[i] = SpeedPoint{Sum: n * alone, Speed: n / rows[i].StepS, Runs: 1}
	}
	law, err := FitCapacity(points)
	return []float64{law.Gain * alone, law.Cap, law.P}, err
}

// psCapacity is Capacity for workers of any kinds.
var psCapacity = fit.Family{
	Name:    "ps-capacity",
	Formula: "step_time_s = gpus ((g alone_steps_per_s)^-p + cap^-p)^(1/p)",
	Source:  psContention.Source,
	Target:  "step_time_s",
	Inputs:  []string{"gpus", "alone_steps_per_s"},
	Same:    []string{"model", "parameter_servers"},
	Parameters: []fit.Parameter{
		{Name: "g", Unit: "1", Doc: "speed of a worker in a cluster over its speed alone"},
		{Name: "cap", Unit: "steps/s", Doc: "capacity of the parameter servers"},
		{Name: "p", Unit: "1", Doc: "sharpness of the bend, at least 1"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		points := make([]SpeedPoint, len(rows))
		for i, r := range rows {
			points[i] = SpeedPoint{Sum: r.AloneStepsPerS, Speed: float64(r.GPUs) / r.StepS, Runs: 1}
		}
		law, err := FitCapacity(points)
		return []float64{law.Gain, law.Cap, law.P}, err
	},
	Predict: func(x []float64, m *fit.Measurement) float64 {
		return float64(m.GPUs) / Capacity{Gain: x[0], Cap: x[1], P: x[2]}.Speed(m.AloneStepsPerS)
	},
}
