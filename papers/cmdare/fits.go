package cmdare

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
	"gonum.org/v1/gonum/stat"
)

// cmdareRegression is a regression whose scores the notebooks print.
type cmdareRegression struct {
	Name    string  `json:"name"`
	Of      string  `json:"of"` // "checkpoint", or as ps.StepTimes
	Kind    string  `json:"kind"`
	C       float64 `json:"c"`
	Epsilon float64 `json:"epsilon"`
	Shuffle bool    `json:"shuffle"` // the rows, before they are split
}

// cmdareScores reports the scores of regressions.
func cmdareScores(f *papers.Figure) error {
	var in struct {
		Parts       int                `json:"folds"`
		Regressions []cmdareRegression `json:"regressions"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, r := range in.Regressions {
		fitter, err := regression(r.Kind, r.C, r.Epsilon)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		x, y := checkpointTimes(false)
		if r.Of != "checkpoint" {
			if x, y, err = stepTimes(r.Of); err != nil {
				return fmt.Errorf("%s: %w", r.Name, err)
			}
		}
		s, err := scored(x, y, in.Parts, r.Shuffle, fitter)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		f.Report(r.Name+"-mae", s.MAE)
		f.Report(r.Name+"-spread", s.MAESpread)
		f.Report(r.Name+"-mape", s.HoldoutMAPE)
	}
	return nil
}

// cmdareCheckpoint reports the line through the means of sixteen networks.
func cmdareCheckpoint(f *papers.Figure) error {
	line, err := fitLinear(checkpointTimes(true))
	if err != nil {
		return err
	}
	f.Report("intercept", line.Intercept)
	f.Report("slope", line.Slopes[0])
	return nil
}

// cmdareRollback reports what a roll back costs by the steps since the
// checkpoint, in seconds, by the law that is fitted to all points and by the one
// that is fitted to all others, and the mean error of the latter.
func cmdareRollback(f *papers.Figure) error {
	steps, seconds := rollbackTimes()
	law, err := ps.FitRollback(steps, seconds)
	if err != nil {
		return err
	}
	var left []float64
	for i := 0; i < len(steps); i += 2 { // two runs each
		f.Report(fmt.Sprint(steps[i]), law.Overhead(steps[i]))
		others, err := ps.FitRollback(without(steps, i), without(seconds, i))
		if err != nil {
			return err
		}
		f.Report(fmt.Sprintf("%g-left-out", steps[i]), others.Overhead(steps[i]))
		left = append(left, math.Abs(others.Overhead(steps[i])-(seconds[i]+seconds[i+1])/2))
	}
	f.Report("left-out-mean-error", stat.Mean(left, nil))
	return nil
}

// without returns the numbers but for those at i and i+1.
func without(x []float64, i int) []float64 {
	return append(append([]float64{}, x[:i]...), x[i+2:]...)
}

// cmdareDistance reports step times with a parameter server far away, in
// seconds, by the law that is fitted to all pairs and by the one that is fitted to
// all others, and the mean error of the latter.
func cmdareDistance(f *papers.Figure) error {
	points := distances()
	law, err := ps.FitDistance(points)
	if err != nil {
		return err
	}
	var left []float64
	for i, p := range points {
		f.Report(p.GPU+"-"+p.Network, p.Near+law.Added(p.RTT, p.Bytes))
		others, err := ps.FitDistance(append(append([]ps.DistancePoint{}, points[:i]...), points[i+1:]...))
		if err != nil {
			return err
		}
		predicted := p.Near + others.Added(p.RTT, p.Bytes)
		f.Report(p.GPU+"-"+p.Network+"-left-out", predicted)
		left = append(left, math.Abs(predicted/p.Far-1))
	}
	f.Report("left-out-mean-error", stat.Mean(left, nil))
	return nil
}
