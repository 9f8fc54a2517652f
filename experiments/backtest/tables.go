package backtest

import (
	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

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
		f, u, r := &j.Finish, &j.USD, &out[i]
		r.FinishS, r.FinishPredictedS, r.FinishError, r.FinishRank = stats.FiniteOrNil(f.Observed), stats.FiniteOrNil(f.Median), stats.FiniteOrNil(f.Error()),
			stats.FiniteOrNil(f.Rank)
		r.FinishLow50S, r.FinishHigh50S, r.FinishLow90S, r.FinishHigh90S = stats.FiniteOrNil(f.Low50), stats.FiniteOrNil(f.High50),
			stats.FiniteOrNil(f.Low90), stats.FiniteOrNil(f.High90)
		r.RedoneSteps, r.RedonePredictedSteps, r.CurveError = stats.FiniteOrNil(j.Redone.Observed), stats.FiniteOrNil(j.Redone.Median),
			stats.FiniteOrNil(j.CurveError)
		if len(j.Unpriced) > 0 {
			continue
		}
		r.USD, r.USDPredicted, r.USDError, r.USDRank = stats.FiniteOrNil(u.Observed), stats.FiniteOrNil(u.Median), stats.FiniteOrNil(u.Error()),
			stats.FiniteOrNil(u.Rank)
		r.USDLow50, r.USDHigh50, r.USDLow90, r.USDHigh90 = stats.FiniteOrNil(u.Low50), stats.FiniteOrNil(u.High50), stats.FiniteOrNil(u.Low90),
			stats.FiniteOrNil(u.High90)
	}
	return out
}

// HourRows returns the hours of all runs by activity.
func (v *Verdict) HourRows() (out []HourRow) {
	for i := range v.Runs {
		j := &v.Runs[i]
		for a := range j.Hours {
			if h := &j.Hours[a]; j.Skipped == "" {
				out = append(out, HourRow{j.Name, sim.Activity(a).String(), h.Observed, h.Median, h.Low90, h.High90})
			}
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
	for _, x := range []struct {
		name string
		of   *Score
	}{{"finish", &v.Finish}, {"usd", &v.USD}} {
		if s := x.of; s.Runs > 0 {
			of50, of90 := s.Coverage()
			out = append(out, ScoreRow{x.name, int64(s.Runs), s.Median, s.Mean, s.Worst, of50, of90})
		}
	}
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
