package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/traces/describe"
)

// parcaeHistoryFlags say from what plan parcae makes its forecast, and how.
type parcaeHistoryFlags struct {
	name, pool string
	now        int
	forecaster string
	setup      forecast.Setup
}

func (h *parcaeHistoryFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&h.name, "history", "", "`history` to forecast from, instead of --forecast")
	flags.StringVar(&h.pool, "pool", "", "`name` of the pool of the history; by default the sum of all pools")
	flags.IntVar(&h.now, "now", 0, "number of intervals of the history that are in the past; by default all")
	flags.StringVar(&h.forecaster, "forecaster", "", "`name` of the forecaster; by default Parcae's")
	flags.IntVar(&h.setup.Window, "window", 12, "past intervals that the forecaster uses, 2 to 1000")
	flags.Float64Var(&h.setup.Least, "least", 8, "smallest possible number of machines, for forecasters with guards")
	flags.Float64Var(&h.setup.Most, "most", 32,
		"largest possible number of machines, for forecasters with guards; 0: no limit")
}

// forecast returns the instances of the present and of the coming intervals.
func (h *parcaeHistoryFlags) forecast(
	q pipeline.ParcaeQuirks, interval time.Duration, ahead int,
) (now int, coming []int, err error) {
	series, err := h.series(interval)
	if err != nil {
		return 0, nil, fmt.Errorf("--history %s: %w", h.name, err)
	}
	if h.now == 0 {
		h.now = len(series)
	}
	s := h.setup
	switch {
	case h.now < 1 || h.now > len(series):
		return 0, nil, fmt.Errorf("--now %d, expected 1 to %d, the intervals of the history", h.now, len(series))
	case s.Window < 2 || s.Window > 1000:
		return 0, nil, fmt.Errorf("--window %d, expected 2 to 1000", s.Window)
	case !(s.Least >= 0 && s.Most >= 0 && (s.Most == 0 || s.Most >= s.Least)) || math.IsInf(s.Least, 0):
		return 0, nil, fmt.Errorf("--least %v --most %v, expected 0 or more, and most 0 or at least least", s.Least, s.Most)
	}
	for i, v := range series[max(0, h.now-s.Window):h.now] {
		if math.IsNaN(v) {
			return 0, nil, fmt.Errorf("--history %s: interval %d is unknown", h.name, max(0, h.now-s.Window)+i+1)
		}
	}
	name := h.forecaster
	if name == "" {
		name = q.Forecaster()
	}
	info, err := forecast.Named(name)
	if err != nil {
		return 0, nil, fmt.Errorf("--forecaster: %w", err)
	}
	s.Truth = series
	next := make([]float64, ahead)
	info.New(s).Forecast(next, series[:h.now])
	for i, x := range next {
		if math.IsNaN(x) {
			return 0, nil, fmt.Errorf("--history %s: interval %d is unknown", h.name, h.now+i+1)
		}
		coming = append(coming, int(math.RoundToEven(min(max(x, 0), math.MaxInt32))))
	}
	return int(math.RoundToEven(series[h.now-1])), coming, nil
}

// series returns the numbers of instances by interval.
func (h *parcaeHistoryFlags) series(interval time.Duration) ([]float64, error) {
	if counts := parcaeCounts(h.name); counts != nil {
		if interval != time.Minute {
			return nil, fmt.Errorf("has one count per minute, but --interval is %v", interval)
		}
		return counts, nil
	}
	set, err := cli.LoadTrace(h.name)
	if err != nil {
		return nil, err
	}
	pools, err := cli.CountedPools(set, h.pool)
	if err != nil {
		return nil, err
	}
	return describe.Sample(set, interval, pools...)
}

// parcaeCounts returns Parcae's history, or an hour of it, nil for other names.
func parcaeCounts(name string) (counts []float64) {
	first, end := 0, 0
	if name == "p3" {
		end = len(pipeline.ParcaeHistory())
	}
	for _, s := range pipeline.ParcaeSegments() {
		if s.Name == name {
			first, end = s.First, s.End
		}
	}
	for _, n := range pipeline.ParcaeHistory()[first:end] {
		counts = append(counts, float64(n))
	}
	return counts
}
