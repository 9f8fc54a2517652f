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
	faults := map[string]int{}      // by machine
	downSince := map[string]int64{} // of the machines that are down
	machines := map[string]bool{}
	var repairHours []float64
	var downUs int64 // of all machines together, in whole microseconds: the sum over a map must not depend on its order
	for _, row := range rows {
		since, down := downSince[row.InstanceID]
		switch {
		case row.Goes() && row.Reason == traces.ReasonHostError:
			out.N++
			faults[row.InstanceID]++
			if !down {
				downSince[row.InstanceID] = row.T
			}
			out.DownPeak = max(out.DownPeak, len(downSince))
		case row.Comes() && down:
			downUs += row.T - since
			repairHours = append(repairHours, float64(row.T-since)/series.HourUs)
			delete(downSince, row.InstanceID)
		}
		machines[row.InstanceID] = true
	}
	if out.N == 0 {
		return nil
	}
	for _, since := range downSince {
		downUs += m.TEndUs - since
	}
	out.Machines = len(machines)
	out.Faulty = len(faults)
	for _, n := range faults {
		out.MaxFaults = max(out.MaxFaults, n)
		if n >= 5 {
			out.Many++
		}
	}
	spanUs := m.TEndUs - m.TStartUs
	if spanUs > 0 {
		days := float64(spanUs) / series.HourUs / 24
		out.Rate = float64(out.N) / (float64(out.Machines) * days) * 1000
		out.DownMean = float64(downUs) / float64(spanUs)
	}
	if len(repairHours) > 0 {
		slices.Sort(repairHours)
		out.Median = stats.Interpolated(repairHours, 0.5)
		out.Mean = stats.Mean(repairHours)
		out.P90 = stats.Interpolated(repairHours, 0.9)
	}
	return out
}
