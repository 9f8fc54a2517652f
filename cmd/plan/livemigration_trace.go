package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/traces/describe"
)

// parcaeTraceFlags say from what plan parcae makes its forecast, and how.
type parcaeTraceFlags struct {
	Name       string  `flag:"history" help:"<trace> to forecast from, instead of --forecast"`
	Pool       string  `flag:"pool" help:"<name> of the pool of the trace; by default the sum of all pools"`
	Now        int     `flag:"now" help:"number of intervals of the trace that are in the past; by default all"`
	Forecaster string  `flag:"forecaster" complete:"@forecasters" help:"<name> of the forecaster; by default Parcae's"`
	Window     int     `flag:"window" default:"12" min:"2" max:"1000" help:"past intervals that the forecaster uses, 2 to 1000"`
	Min        float64 `flag:"min" was:"least" default:"8" help:"smallest possible number of machines, for forecasters with guards"`
	Max        float64 `flag:"max" was:"most" default:"32" help:"largest possible number of machines, for forecasters with guards; 0: no limit"`
}

// forecast returns the instances of the present and of the coming intervals.
func (h *parcaeTraceFlags) forecast(
	q pipeline.ParcaeQuirks, interval time.Duration, ahead int,
) (now int, coming []int, err error) {
	series, err := h.series(interval)
	if err != nil {
		return 0, nil, fmt.Errorf("--history %s: %w", h.Name, err)
	}
	if h.Now == 0 {
		h.Now = len(series)
	}
	if h.Now < 1 || h.Now > len(series) {
		return 0, nil, fmt.Errorf("--now %d, expected 1 to %d, the intervals of the trace", h.Now, len(series))
	}
	if err := cli.CheckGuards(h.Min, h.Max); err != nil {
		return 0, nil, err
	}
	s := forecast.Setup{Window: h.Window, Min: h.Min, Max: h.Max, Truth: series}
	for i, v := range series[max(0, h.Now-s.Window):h.Now] {
		if math.IsNaN(v) {
			return 0, nil, fmt.Errorf("--history %s: interval %d is unknown", h.Name, max(0, h.Now-s.Window)+i+1)
		}
	}
	name := h.Forecaster
	if name == "" {
		name = q.Forecaster()
	}
	info, err := forecast.Named(name)
	if err != nil {
		return 0, nil, fmt.Errorf("--forecaster: %w", err)
	}
	next := make([]float64, ahead)
	info.New(s).Forecast(next, series[:h.Now])
	for i, x := range next {
		if math.IsNaN(x) {
			return 0, nil, fmt.Errorf("--history %s: interval %d is unknown", h.Name, h.Now+i+1)
		}
		coming = append(coming, int(math.RoundToEven(min(max(x, 0), math.MaxInt32))))
	}
	return int(math.RoundToEven(series[h.Now-1])), coming, nil
}

// series returns the numbers of instances by interval.
func (h *parcaeTraceFlags) series(interval time.Duration) ([]float64, error) {
	if counts := parcaeCounts(h.Name); counts != nil {
		if interval != time.Minute {
			return nil, fmt.Errorf("has one count per minute, but --interval is %v", interval)
		}
		return counts, nil
	}
	set, err := cli.LoadTrace(h.Name)
	if err != nil {
		return nil, err
	}
	pools, err := cli.CountedPools(set, h.Pool)
	if err != nil {
		return nil, err
	}
	return describe.Sample(set, interval, pools...)
}

// parcaeCounts returns Parcae's trace, or an hour of it, nil for other names.
func parcaeCounts(name string) (counts []float64) {
	first, end := 0, 0
	if name == "p3" {
		end = len(pipeline.ParcaeTrace())
	}
	for _, s := range pipeline.ParcaeSegments() {
		if s.Name == name {
			first, end = s.First, s.End
		}
	}
	for _, n := range pipeline.ParcaeTrace()[first:end] {
		counts = append(counts, float64(n))
	}
	return counts
}
