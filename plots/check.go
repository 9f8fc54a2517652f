package plots

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/experiments/results"
)

// most is the largest number that is drawn: beyond it something is wrong.
const most = 1e12

func drawable(v float64) bool { return v >= 0 && v <= most && !math.IsNaN(v) }

// checkSummary refuses a run whose numbers cannot be drawn.
func checkSummary(s *results.Summary) error {
	var err error
	switch {
	case !drawable(s.CostUSD):
		err = fmt.Errorf("cost_usd is %v, want 0 to %g", s.CostUSD, most)
	case !drawable(s.ObjectiveS) || s.ObjectiveS < 1e-3:
		err = fmt.Errorf("objective_s is %v, want 0.001 to %g", s.ObjectiveS, most)
	case s.Finished != (s.FinishS != nil):
		err = fmt.Errorf("finished is %v, but finish_s is not accordingly", s.Finished)
	case s.Finished && (!drawable(*s.FinishS) || !drawable(*s.FinishS/s.ObjectiveS)):
		err = fmt.Errorf("finish_s is %v, want 0 to %g", *s.FinishS, most)
	}
	if err != nil {
		return fmt.Errorf("plots: run %d (%s, %s): %w", s.Run, s.Policy, s.Objective, err)
	}
	return nil
}
