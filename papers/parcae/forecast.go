package parcae

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies/forecast"
)

// forecastErrors reports the mean absolute errors of forecasters on the p3
// trace, in instances.
func forecastErrors(f *papers.Figure) error {
	var in struct {
		Trace       int      `json:"trace"`
		Min         float64  `json:"least"`
		Max         float64  `json:"most"`
		Intervals   []int    `json:"intervals"`
		Forecasters []string `json:"forecasters"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	counts := recordedCounts()
	for _, name := range in.Forecasters {
		info, err := forecast.Named(name)
		if err != nil {
			return err
		}
		forecaster := info.New(forecast.Setup{Window: in.Trace, Min: in.Min, Max: in.Max})
		errs := forecast.Backtest(forecaster, counts, in.Trace, slices.Max(in.Intervals))
		for _, ahead := range in.Intervals {
			f.Report(fmt.Sprintf("%s-%d", name, ahead), errs[ahead-1].Absolute)
		}
	}
	return nil
}

// recordedCounts are the instances of the p3 trace, minute by minute.
func recordedCounts() []float64 {
	var counts []float64
	for _, n := range pipeline.ParcaeTrace() {
		counts = append(counts, float64(n))
	}
	return counts
}
