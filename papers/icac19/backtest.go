package icac19

import (
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
	"gonum.org/v1/gonum/stat"
	"math"
)

// icac19Backtest reports the errors of the runs that lost workers, and how many of all runs lie within their intervals.
func icac19Backtest(f *papers.Figure) error {
	v, err := world.Backtest(f, "icac19-k80-spot")
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
	f.Report("finish-median-error", papers.Median(finish))
	f.Report("finish-mean-error", stat.Mean(finish, nil))
	f.Report("usd-median-error", papers.Median(usd))
	f.Report("usd-file-median-error", papers.Median(charged))
	reportCoverage(f, "finish", &v.Finish)
	reportCoverage(f, "usd", &v.USD)
	return nil
}

// reportCoverage reports the shares of the runs that lie within their intervals.
func reportCoverage(f *papers.Figure, item string, s *backtest.Score) {
	of50, of90 := s.Coverage()
	f.Report(item+"-inside50", of50)
	f.Report(item+"-inside90", of90)
}
