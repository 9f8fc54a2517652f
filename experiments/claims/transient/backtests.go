package transient

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/experiments/backtest/published"
	"github.com/marigram/marigram/experiments/claims"
)

func init() {
	claims.Register("icac19-backtest", icac19Backtest)
	claims.Register("cmdare-backtest", cmdareBacktest)
}

// judged predicts each run of a published set from all others.
func judged(f *claims.Figure, name string) (*backtest.Verdict, error) {
	var in struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}
	if err := f.Inputs(&in); err != nil {
		return nil, err
	}
	set, _ := published.Named(name)
	runs, err := set.Runs()
	if err != nil {
		return nil, err
	}
	observed := make([]backtest.Observed, len(runs))
	for i, r := range runs {
		observed[i] = backtest.From(r)
	}
	return backtest.Judge(f.Context(), observed, backtest.Options{Idle: set.Idle, Draws: in.Draws, Seed: in.Seed})
}

// icac19Backtest reports the errors of the runs that lost workers, and how many of all runs lie within their intervals.
func icac19Backtest(f *claims.Figure) error {
	v, err := judged(f, "icac19-k80-spot")
	if err != nil {
		return err
	}
	var finish, usd, charged []float64
	for i, r := range facts.Read[icac19Run]("icac19_k80_spot") { // the runs of the set, in their order
		if j := &v.Runs[i]; r.Completed == 1 && r.Lost != "" {
			finish = append(finish, math.Abs(j.Finish.Error()))
			usd = append(usd, math.Abs(j.USD.Error()))
			charged = append(charged, math.Abs(j.USD.Median/r.USD-1))
		}
	}
	f.Report("lost-runs", float64(len(finish)))
	f.Report("finish-median-error", median(finish))
	f.Report("finish-mean-error", stat.Mean(finish, nil))
	f.Report("usd-median-error", median(usd))
	f.Report("usd-file-median-error", median(charged))
	reportCoverage(f, "finish", &v.Finish)
	reportCoverage(f, "usd", &v.USD)
	return nil
}

// reportCoverage reports the shares of the runs that lie within their intervals.
func reportCoverage(f *claims.Figure, item string, s *backtest.Score) {
	of50, of90 := s.Coverage()
	f.Report(item+"-inside50", of50)
	f.Report(item+"-inside90", of90)
}

// cmdareBacktest reports the errors of the runs that lost a worker and got another.
func cmdareBacktest(f *claims.Figure) error {
	v, err := judged(f, "cmdare-replacements")
	if err != nil {
		return err
	}
	for i := range v.Runs {
		if j := &v.Runs[i]; strings.HasPrefix(j.Name, "case-") {
			f.Report(j.Name, j.Finish.Median)
		}
	}
	f.Report("finish-median-error", v.Finish.Median)
	_, of90 := v.Finish.Coverage()
	f.Report("finish-inside90", of90)
	return nil
}

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return stat.Quantile(0.5, stat.LinInterp, sorted, nil)
}
