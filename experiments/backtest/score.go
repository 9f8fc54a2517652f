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
	finish = score(runs, func(j *Judged) *Compared { return &j.Finish })
	usd = score(runs, func(j *Judged) *Compared { return &j.USD })
	return finish, usd
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
	s.Median = stats.Interpolated(errors, 0.5)
	s.Worst = errors[len(errors)-1]
	return s
}

// compared sorts the simulated values.
func compared(observed float64, values []float64) Compared {
	slices.Sort(values)
	c := Compared{
		Observed: observed,
		Median:   stats.Interpolated(values, 0.5),
		Low50:    stats.Interpolated(values, 0.25),
		High50:   stats.Interpolated(values, 0.75),
		Low90:    stats.Interpolated(values, 0.05),
		High90:   stats.Interpolated(values, 0.95),
		Rank:     math.NaN(),
	}
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
	// Ranks count the runs by the share of their simulations that lie below what was observed, in tenths: all alike
	// where the intervals are right.
	Ranks [Bins]int
}

// Coverage returns the shares of the runs that lie within the two intervals.
func (s *Score) Coverage() (of50, of90 float64) {
	return float64(s.Inside50) / float64(s.Runs), float64(s.Inside90) / float64(s.Runs)
}

// RunRow is one run beside its prediction: a row of runs.parquet. What was not recorded is null.
type RunRow struct {
	Run     string `col:"run" json:"run" doc:"name of the run"`
	LeftOut bool   `col:"left_out" json:"left_out" doc:"whether the model was fitted to the other runs only, so that this is a prediction"`
	Skipped string `col:"skipped" json:"skipped,omitempty" doc:"why it is not compared; empty: it is"`

	FinishS          *float64 `col:"finish_s" json:"finish_s" unit:"s" doc:"observed, from the run's beginning to its goal"`
	FinishPredictedS *float64 `col:"finish_predicted_s" json:"finish_predicted_s" unit:"s" doc:"median of the simulations; null also where it is not reached"`
	FinishLow50S     *float64 `col:"finish_low50_s" json:"finish_low50_s" unit:"s" doc:"least of the interval of 50 %"`
	FinishHigh50S    *float64 `col:"finish_high50_s" json:"finish_high50_s" unit:"s" doc:"most of the interval of 50 %"`
	FinishLow90S     *float64 `col:"finish_low90_s" json:"finish_low90_s" unit:"s" doc:"least of the interval of 90 %"`
	FinishHigh90S    *float64 `col:"finish_high90_s" json:"finish_high90_s" unit:"s" doc:"most of the interval of 90 %"`
	FinishError      *float64 `col:"finish_error" json:"finish_error" doc:"predicted / observed - 1"`
	FinishRank       *float64 `col:"finish_rank" json:"finish_rank" doc:"share of the simulations that finish before the run did"`

	USD          *float64 `col:"usd" json:"usd" unit:"USD" doc:"paid: what was charged, else instance time at the recorded prices"`
	USDPredicted *float64 `col:"usd_predicted" json:"usd_predicted" unit:"USD" doc:"median of the simulations"`
	USDLow50     *float64 `col:"usd_low50" json:"usd_low50" unit:"USD" doc:"least of the interval of 50 %"`
	USDHigh50    *float64 `col:"usd_high50" json:"usd_high50" unit:"USD" doc:"most of the interval of 50 %"`
	USDLow90     *float64 `col:"usd_low90" json:"usd_low90" unit:"USD" doc:"least of the interval of 90 %"`
	USDHigh90    *float64 `col:"usd_high90" json:"usd_high90" unit:"USD" doc:"most of the interval of 90 %"`
	USDError     *float64 `col:"usd_error" json:"usd_error" doc:"predicted / paid - 1"`
	USDRank      *float64 `col:"usd_rank" json:"usd_rank" doc:"share of the simulations that cost less than the run did"`

	RedoneSteps          *float64 `col:"redone_steps" json:"redone_steps" unit:"steps" doc:"observed to be done again"`
	RedonePredictedSteps *float64 `col:"redone_predicted_steps" json:"redone_predicted_steps" unit:"steps" doc:"median of the simulations"`
	CurveError           *float64 `col:"curve_error" json:"curve_error" doc:"mean distance of the two curves of progress, as a share of all steps"`
}

// HourRow is the hours of one activity in one run: a row of hours.parquet.
type HourRow struct {
	Run        string  `col:"run" json:"run" doc:"name of the run"`
	Activity   string  `col:"activity" json:"activity" doc:"one of the eight activities of instances"`
	ObservedH  float64 `col:"observed_h" json:"observed_h" unit:"h" doc:"instance-hours, as the record shows them"`
	PredictedH float64 `col:"predicted_h" json:"predicted_h" unit:"h" doc:"median of the simulations"`
	Low90H     float64 `col:"low90_h" json:"low90_h" unit:"h" doc:"least of the interval of 90 %"`
	High90H    float64 `col:"high90_h" json:"high90_h" unit:"h" doc:"most of the interval of 90 %"`
}

// CurveRow is the progress of one run by an instant: a row of curves.parquet.
type CurveRow struct {
	Run            string  `col:"run" json:"run" doc:"name of the run"`
	AtS            float64 `col:"at_s" json:"at_s" unit:"s" doc:"from the run's beginning"`
	Steps          float64 `col:"steps" json:"steps" unit:"steps" doc:"observed, from those at the run's beginning"`
	PredictedSteps float64 `col:"predicted_steps" json:"predicted_steps" unit:"steps" doc:"median of the simulations"`
	Low90Steps     float64 `col:"low90_steps" json:"low90_steps" unit:"steps" doc:"least of the interval of 90 %"`
	High90Steps    float64 `col:"high90_steps" json:"high90_steps" unit:"steps" doc:"most of the interval of 90 %"`
}

// RunRows returns the runs as rows.
func (v *Verdict) RunRows() []RunRow {
	out := make([]RunRow, len(v.Runs))
	for i := range v.Runs {
		j := &v.Runs[i]
		out[i] = RunRow{Run: j.Name, LeftOut: j.LeftOut, Skipped: j.Skipped}
		if j.Skipped != "" {
			continue
		}
		row := &out[i]
		finish := &j.Finish
		row.FinishS = stats.FiniteOrNil(finish.Observed)
		row.FinishPredictedS = stats.FiniteOrNil(finish.Median)
		row.FinishLow50S = stats.FiniteOrNil(finish.Low50)
		row.FinishHigh50S = stats.FiniteOrNil(finish.High50)
		row.FinishLow90S = stats.FiniteOrNil(finish.Low90)
		row.FinishHigh90S = stats.FiniteOrNil(finish.High90)
		row.FinishError = stats.FiniteOrNil(finish.Error())
		row.FinishRank = stats.FiniteOrNil(finish.Rank)
		row.RedoneSteps = stats.FiniteOrNil(j.Redone.Observed)
		row.RedonePredictedSteps = stats.FiniteOrNil(j.Redone.Median)
		row.CurveError = stats.FiniteOrNil(j.CurveError)
		if len(j.Unpriced) > 0 {
			continue
		}
		usd := &j.USD
		row.USD = stats.FiniteOrNil(usd.Observed)
		row.USDPredicted = stats.FiniteOrNil(usd.Median)
		row.USDLow50 = stats.FiniteOrNil(usd.Low50)
		row.USDHigh50 = stats.FiniteOrNil(usd.High50)
		row.USDLow90 = stats.FiniteOrNil(usd.Low90)
		row.USDHigh90 = stats.FiniteOrNil(usd.High90)
		row.USDError = stats.FiniteOrNil(usd.Error())
		row.USDRank = stats.FiniteOrNil(usd.Rank)
	}
	return out
}

// HourRows returns the hours of all runs by activity.
func (v *Verdict) HourRows() (out []HourRow) {
	for i := range v.Runs {
		j := &v.Runs[i]
		if j.Skipped != "" {
			continue
		}
		for a, hours := range j.Hours {
			activity := sim.Activity(a).String()
			out = append(out, HourRow{j.Name, activity, hours.Observed, hours.Median, hours.Low90, hours.High90})
		}
	}
	return out
}

// CurveRows returns the curves of all runs.
func (v *Verdict) CurveRows() (out []CurveRow) {
	for i := range v.Runs {
		for _, p := range v.Runs[i].Curve {
			out = append(out, CurveRow{v.Runs[i].Name, p.AtS, p.Observed, p.Median, p.Low90, p.High90})
		}
	}
	return out
}

// ScoreRow is the verdict on one number: a row of verdict.parquet.
type ScoreRow struct {
	Number      string  `col:"number" json:"number" doc:"finish or usd"`
	Runs        int64   `col:"runs" json:"runs" doc:"runs that are compared"`
	MedianError float64 `col:"median_error" json:"median_error" doc:"median of |predicted / observed - 1|"`
	MeanError   float64 `col:"mean_error" json:"mean_error" doc:"mean of predicted / observed - 1"`
	WorstError  float64 `col:"worst_error" json:"worst_error" doc:"largest |predicted / observed - 1|"`
	Inside50    float64 `col:"inside50" json:"inside50" doc:"share of the runs within their interval of 50 %"`
	Inside90    float64 `col:"inside90" json:"inside90" doc:"share of the runs within their interval of 90 %"`
}

// ScoreRows returns the verdict on finish and dollars, as far as they are compared.
func (v *Verdict) ScoreRows() (out []ScoreRow) {
	add := func(number string, score *Score) {
		if score.Runs > 0 {
			of50, of90 := score.Coverage()
			out = append(out, ScoreRow{number, int64(score.Runs), score.Median, score.Mean, score.Worst, of50, of90})
		}
	}
	add("finish", &v.Finish)
	add("usd", &v.USD)
	return out
}

// RankRow is a bar of a rank histogram: a row of ranks.parquet.
type RankRow struct {
	Number string  `col:"number" json:"number" doc:"finish or usd"`
	From   float64 `col:"from" json:"from" doc:"least share of a run's simulations below what was observed"`
	To     float64 `col:"to" json:"to" doc:"the share at which the next bar begins"`
	Runs   int64   `col:"runs" json:"runs" doc:"runs with such a share; all bars alike where the intervals are right"`
}

// RankRows returns the rank histograms of finish and dollars.
func (v *Verdict) RankRows() (out []RankRow) {
	add := func(name string, s *Score) {
		for k, n := range s.Ranks {
			if s.Runs > 0 {
				out = append(out, RankRow{name, float64(k) / Bins, float64(k+1) / Bins, int64(n)})
			}
		}
	}
	add("finish", &v.Finish)
	add("usd", &v.USD)
	return out
}

// FitRows returns what was fitted to all runs.
func (v *Verdict) FitRows() []fromruns.Row { return v.Fitted.Rows() }
