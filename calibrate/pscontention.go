package calibrate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// psContention is asynchronous training in which the workers share what the
// parameter servers can take: the speed of the cluster bends from n times that
// of one worker to the servers' capacity, the more sharply the greater p is.
// The fit minimises the squares of the relative residuals.
var psContention = Family{
	Name:    "ps-contention",
	Formula: "step_time_s = ((1/v)^p + (gpus/cap)^p)^(1/p)",
	Source:  "a law that fits the twelve curves of CM-DARE (ICDCS 2020) to 0.2-3 %; not the paper's",
	Target:  "step_time_s",
	Inputs:  []string{"gpus"},
	Same:    []string{"model", "gpu", "batch_per_gpu", "parameter_servers"},
	Parameters: []Parameter{
		{"v", "steps/s", "speed of a worker alone"},
		{"cap", "steps/s", "what the parameter servers can take"},
		{"p", "1", "sharpness of the bend, more than 1"},
	},
	Fit:     fitContention,
	Predict: contended,
}

func contended(x []float64, m *Measurement) float64 {
	alone, shared := 1/x[0], float64(m.GPUs)/x[1]
	most := max(alone, shared) // taken out lest a power overflows
	return most * math.Pow(math.Pow(alone/most, x[2])+math.Pow(shared/most, x[2]), 1/x[2])
}

func fitContention(rows []Measurement) ([]float64, error) {
	// The search is over logarithms, which keeps v and cap above 0 and p above 1.
	real := func(y []float64) []float64 { return []float64{math.Exp(y[0]), math.Exp(y[1]), 1 + math.Exp(y[2])} }
	fastest, widest := 0.0, 0.0
	for i := range rows {
		fastest = max(fastest, 1/rows[i].StepS)
		widest = max(widest, float64(rows[i].GPUs)/rows[i].StepS)
	}
	problem := optimize.Problem{Func: func(y []float64) float64 {
		x, sum := real(y), 0.0
		for i := range rows {
			r := contended(x, &rows[i])/rows[i].StepS - 1
			sum += r * r
		}
		return sum
	}}
	settings := &optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-14, Relative: 1e-10, Iterations: 200}}
	start := []float64{math.Log(fastest), math.Log(widest), math.Log(4)}
	result, err := optimize.Minimize(problem, start, settings, &optimize.NelderMead{})
	if err != nil {
		return nil, fmt.Errorf("the search for the parameters: %w", err)
	}
	return real(result.X), nil
}
