package backtest

import (
	"math"
	"slices"
)

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
	s.Median, s.Worst = quantile(errors, 0.5), errors[len(errors)-1]
	return s
}
