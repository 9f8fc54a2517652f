package backtest

import (
	"math"
	"slices"

	"github.com/marigram/marigram/internal/stats"
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
