package describe

import (
	"slices"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// faultStatistics describes the faults of a pool's machines, nil if none is recorded.
func faultStatistics(rows []traces.InstanceEventRow, m *traces.Manifest) *FaultStatistics {
	out := &FaultStatistics{}
	faults, since := map[string]int{}, map[string]int64{} // by machine: its faults, and since when it is down
	machines := map[string]bool{}
	var hours []float64
	total := 0.0
	for _, r := range rows {
		from, down := since[r.InstanceID]
		switch {
		case r.Goes() && r.Reason == traces.ReasonHostError:
			out.N++
			faults[r.InstanceID]++
			if !down {
				since[r.InstanceID] = r.T
			}
			out.DownPeak = max(out.DownPeak, len(since))
		case r.Comes() && down:
			hours = append(hours, float64(r.T-from)/series.HourUs)
			delete(since, r.InstanceID)
		}
		machines[r.InstanceID] = true
	}
	if out.N == 0 {
		return nil
	}
	for _, h := range hours {
		total += h
	}
	for _, from := range since {
		total += float64(m.TEndUs-from) / series.HourUs
	}
	out.Machines, out.Faulty = len(machines), len(faults)
	for _, n := range faults {
		out.MaxFaults = max(out.MaxFaults, n)
		if n >= 5 {
			out.Many++
		}
	}
	span := float64(m.TEndUs-m.TStartUs) / series.HourUs
	if span > 0 {
		out.Rate = float64(out.N) / (float64(out.Machines) * span / 24) * 1000
		out.DownMean = total / span
	}
	if len(hours) > 0 {
		slices.Sort(hours)
		out.Median, out.Mean, out.P90 = stats.Interpolated(hours, 0.5), stats.Mean(hours), stats.Interpolated(hours, 0.9)
	}
	return out
}
