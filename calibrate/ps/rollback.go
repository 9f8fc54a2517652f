package ps

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate/fit"
	"gonum.org/v1/gonum/stat"
)

// Rollback is what the loss of the chief costs where its replacement has the
// same address, so that TensorFlow sends all workers back to the last
// checkpoint (CM-DARE, ICDCS 2020): nothing until n steps are lost, then
// so much for each further one. The form is a reading of the five measured
// points; see DEVIATIONS.md for what it leaves out.
type Rollback struct {
	DeadSteps      float64 // steps since the checkpoint that cost nothing
	SecondsPerStep float64 // of each step beyond
}

// Overhead returns the time that is lost, seconds, when n steps had been
// done since the last checkpoint.
func (r Rollback) Overhead(steps float64) float64 {
	return r.SecondsPerStep * max(steps-r.DeadSteps, 0)
}

// FitRollback fits the law to points by least squares: within the dead zone it
// says 0. An error if no law that rises with the steps is better than one number
// for all.
func FitRollback(steps, seconds []float64) (Rollback, error) {
	_, variance := stat.PopMeanVariance(seconds, nil)
	best := Rollback{}
	smallest := variance * float64(len(seconds))
	from := slices.Compact(slices.Sorted(slices.Values(steps)))
	for k := range len(from) - 1 {
		for _, law := range rollbacksBeyond(from[k], steps, seconds) {
			off := law.squares(steps, seconds)
			if law.SecondsPerStep > 0 && off < smallest {
				best = law
				smallest = off
			}
		}
	}
	if best.SecondsPerStep == 0 {
		return best, fmt.Errorf("overhead does not rise with the steps")
	}
	return best, nil
}

// rollbacksBeyond returns the line through the points from n steps on, and
// the one that leaves 0 there. The best law is among these: its dead zone ends
// between two points, and then it is the line through those beyond, or at one.
func rollbacksBeyond(dead float64, steps, seconds []float64) [2]Rollback {
	var x, y []float64
	for i, lost := range steps {
		if lost >= dead {
			x = append(x, lost-dead)
			y = append(y, seconds[i])
		}
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	_, through := stat.LinearRegression(x, y, nil, true)
	return [2]Rollback{{DeadSteps: dead - a/b, SecondsPerStep: b}, {DeadSteps: dead, SecondsPerStep: through}}
}

// squares returns the sum of the squared errors.
func (r Rollback) squares(steps, seconds []float64) float64 {
	sum := 0.0
	for i, lost := range steps {
		off := r.Overhead(lost) - seconds[i]
		sum += float64(off * off)
	}
	return sum
}

func init() { fit.Register(rollBack) }

// rollBack is Rollback.
var rollBack = fit.Family{
	Name:    "roll-back",
	Formula: "rollback_s = b (lost_steps - d), at least 0",
	Source:  "a reading of the measured roll backs of CM-DARE (ICDCS 2020); the paper has no such law",
	Target:  "rollback_s",
	Inputs:  []string{"lost_steps"},
	Same:    []string{"model", "gpu", "gpus"},
	Parameters: []fit.Parameter{
		{Name: "d", Unit: "steps", Doc: "lost steps that cost nothing"},
		{Name: "b", Unit: "s/step", Doc: "cost of each further step"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		steps := make([]float64, len(rows))
		seconds := make([]float64, len(rows))
		for i := range rows {
			steps[i] = rows[i].LostSteps
			seconds[i] = rows[i].RollbackS
		}
		law, err := FitRollback(steps, seconds)
		return []float64{law.DeadSteps, law.SecondsPerStep}, err
	},
	Predict: func(x []float64, m *fit.Measurement) float64 {
		return Rollback{DeadSteps: x[0], SecondsPerStep: x[1]}.Overhead(m.LostSteps)
	},
}

func init() { fit.Register(checkpointTime) }

// checkpointTime is CM-DARE's time of a checkpoint.
var checkpointTime = fit.LinearFamily(fit.Family{
	Name:    "checkpoint-time",
	Formula: "checkpoint_s = a + b checkpoint_mb",
	Source:  "CM-DARE (ICDCS 2020), the linear model of checkpoint times",
	Target:  "checkpoint_s",
	Inputs:  []string{"checkpoint_mb"},
	Same:    []string{"instance_type"},
	Parameters: []fit.Parameter{
		{Name: "a", Unit: "s", Doc: "fixed time of a checkpoint"},
		{Name: "b", Unit: "s/MB", Doc: "1/b is the bandwidth to the store"},
	},
}, func(m *fit.Measurement) []float64 { return []float64{1, m.CheckpointMB} })
