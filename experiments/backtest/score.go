package backtest

import (
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// Scores sums up the predictions of finish and dollars.
func Scores(runs []Judged) (finish, usd Score) {
	return score(runs, func(j *Judged) *Compared { return &j.Finish }), score(runs, func(j *Judged) *Compared { return &j.USD })
}

// score sums up the predictions of one number.
func score(runs []Judged, of func(*Judged) *Compared) (s Score) {
	var errors []float64
	for i := range runs {
		c := of(&runs[i])
		if runs[i].Skipped != "" || !(c.Observed > 0) || math.IsInf(c.Observed, 0) {
			continue
		}
		s.Runs++
		errors = append(errors, math.Abs(c.Error()))
		s.Mean += c.Error()
		if c.Low50 <= c.Observed && c.Observed <= c.High50 {
			s.Inside50++
		}
		if c.Low90 <= c.Observed && c.Observed <= c.High90 {
			s.Inside90++
		}
		s.Ranks[min(int(c.Rank*Bins), Bins-1)]++
	}
	if s.Runs == 0 {
		return s
	}
	slices.Sort(errors)
	s.Mean /= float64(s.Runs)
	s.Median, s.Worst = stats.Interpolated(errors, 0.5), errors[len(errors)-1]
	return s
}

// compared sorts the simulated values.
func compared(observed float64, values []float64) Compared {
	slices.Sort(values)
	c := Compared{Observed: observed, Median: stats.Interpolated(values, 0.5), Low50: stats.Interpolated(values, 0.25), High50: stats.Interpolated(values, 0.75),
		Low90: stats.Interpolated(values, 0.05), High90: stats.Interpolated(values, 0.95), Rank: math.NaN()}
	if !math.IsNaN(observed) {
		below, _ := slices.BinarySearch(values, observed)
		above, _ := slices.BinarySearch(values, math.Nextafter(observed, math.Inf(1)))
		c.Rank = (float64(below) + float64(above)) / 2 / float64(len(values))
	}
	return c
}

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
