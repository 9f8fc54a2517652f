package calibrate

import (
	"fmt"
	"math"
)

// Rollback is what the loss of the chief costs where its replacement has the
// same address, so that TensorFlow sends all workers back to the last
// checkpoint (CM-DARE, ICDCS 2020): nothing until so many steps are lost, then
// so much for each further one. The form is a reading of the five measured
// points; see DEVIATIONS.md for what it leaves out.
type Rollback struct {
	DeadSteps      float64 // steps since the checkpoint that cost nothing
	SecondsPerStep float64 // of each step beyond
}

// Overhead returns the time that is lost, seconds, when so many steps had been
// done since the last checkpoint.
func (r Rollback) Overhead(steps float64) float64 {
	return r.SecondsPerStep * max(steps-r.DeadSteps, 0)
}

// FitRollback fits the line to points that are beyond the dead zone, by least
// squares. An error if it does not rise.
func FitRollback(steps, seconds []float64) (Rollback, error) {
	x := make([][]float64, len(steps))
	for i, s := range steps {
		x[i] = []float64{s}
	}
	line, err := FitLinear(x, seconds)
	if err != nil {
		return Rollback{}, err
	}
	if !(line.Slopes[0] > 0) {
		return Rollback{}, fmt.Errorf("overhead does not rise with the steps: %v s a step", line.Slopes[0])
	}
	return Rollback{DeadSteps: -line.Intercept / line.Slopes[0], SecondsPerStep: line.Slopes[0]}, nil
}

// RollbackTimes returns CM-DARE's measured overheads, seconds, of single runs
// over the mean of those without a roll back, by steps since the checkpoint.
func RollbackTimes() (steps, seconds []float64) {
	type fact struct {
		Steps float64 `col:"steps_since_checkpoint"`
		Total float64 `col:"total_s"`
	}
	base, runs := 0., 0.
	for _, r := range Facts[fact]("cmdare_rollback") {
		if math.IsNaN(r.Steps) {
			base, runs = base+r.Total, runs+1
			continue
		}
		steps, seconds = append(steps, r.Steps), append(seconds, r.Total)
	}
	for i := range seconds {
		seconds[i] -= base / runs
	}
	return steps, seconds
}

// rollBack is Rollback. Rows whose lost steps cost nothing belong left out.
var rollBack = Family{
	Name:    "roll-back",
	Formula: "rollback_s = b (lost_steps - d), at least 0",
	Source:  "a reading of the measured roll backs of CM-DARE (ICDCS 2020); the paper has no such law",
	Target:  "rollback_s",
	Inputs:  []string{"lost_steps"},
	Same:    []string{"model", "gpu", "gpus"},
	Parameters: []Parameter{
		{"d", "steps", "lost steps that cost nothing"},
		{"b", "s/step", "cost of each further one"},
	},
	Fit: func(rows []Measurement) ([]float64, error) {
		steps, seconds := make([]float64, len(rows)), make([]float64, len(rows))
		for i, r := range rows {
			steps[i], seconds[i] = r.LostSteps, r.RollbackS
		}
		law, err := FitRollback(steps, seconds)
		return []float64{law.DeadSteps, law.SecondsPerStep}, err
	},
	Predict: func(x []float64, m *Measurement) float64 {
		return Rollback{DeadSteps: x[0], SecondsPerStep: x[1]}.Overhead(m.LostSteps)
	},
}
