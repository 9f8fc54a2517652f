package backtest

import (
	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/sim"
)

// Compared is an observed number beside its prediction.
type Compared struct {
	Observed float64 // NaN: not recorded
	Median   float64 // of the simulations
	Low50    float64
	High50   float64
	Low90    float64
	High90   float64
	Rank     float64 // share of the simulations below what was observed
}

// Error returns the error of the prediction as a share of what was observed, NaN where that is not known.
func (c *Compared) Error() float64 { return c.Median/c.Observed - 1 }

// Judged is one run with what was predicted of it.
type Judged struct {
	Name    string
	LeftOut bool // the fit did not see it, so that it is a prediction
	Skipped string
	Finish  Compared // seconds
	USD     Compared
	Redone  Compared // steps
	Hours   [sim.Activities]Compared
	Curve   []CurvePoint
	// CurveError is the mean distance of the curves, as a share of all steps.
	CurveError float64
	Unpriced   []string // pools without a price
}

// CurvePoint is the progress by an instant.
type CurvePoint struct {
	AtS float64
	Compared
}

// Verdict is what all runs together say of the simulator.
type Verdict struct {
	Runs        []Judged
	Finish, USD Score
	Fitted      *fromruns.Fitted // to all runs
}

// Bins is the number of bars of a rank histogram.
const Bins = 10

// Score is how good the predictions of one number are over all runs.
type Score struct {
	Runs   int     // that were compared
	Median float64 // of the errors without their sign, as a share of what was observed
	Mean   float64 // of the errors with their sign: above 0, too much is predicted
	Worst  float64 // of the errors without their sign
	// Inside50 and Inside90 are the runs that lie within the intervals of 50 % and 90 %.
	Inside50, Inside90 int
	// Ranks count the runs by the share of their simulations that lie below what was observed, in tenths: all alike where the
	// intervals are right.
	Ranks [Bins]int
}

// Coverage returns the shares of the runs that lie within the two intervals.
func (s *Score) Coverage() (of50, of90 float64) {
	return float64(s.Inside50) / float64(s.Runs), float64(s.Inside90) / float64(s.Runs)
}
