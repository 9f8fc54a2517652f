package compare

import (
	"fmt"

	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/format"
)

// heading is what a column of a metric is called.
func heading(metric string) string {
	if text, known := headings[metric]; known {
		return text
	}
	return "cost USD"
}

// headings are the columns of metrics that are no dollars.
var headings = map[string]string{sweep.JCTHours: "mean JCT h", sweep.USDPerGPUH: "USD/GPU-h", sweep.LateHours: "late h", sweep.LateP95Hours: "late p95 h", sweep.LatePercent: "late %"}

// plain returns how values of a metric are written, signed how differences are.
func plain(metric string) func(float64) string {
	if headings[metric] != "" {
		return func(h float64) string { return fmt.Sprintf("%.3f", h) }
	}
	return format.USD
}

func signed(metric string) func(float64) string {
	if headings[metric] != "" {
		return func(h float64) string { return fmt.Sprintf("%+.3f", h) }
	}
	return format.SignedUSD
}

// legend says what the columns of a table are.
func legend(metric string) string {
	switch metric {
	case sweep.USDPerGPUH, sweep.LateHours, sweep.LateP95Hours, sweep.LatePercent:
		return "the best policy first; USD/GPU-h: cost by GPU-hour of training that counts; late h: mean time from a job's deadline to its finish, 0 for\n" +
			"jobs that meet it, p95: its 95th percentile; late %: jobs that miss their deadline; late in a row: jobs were not done when runs were cut; 95 %: confidence interval;\n" +
			"minus: mean of the paired differences; wins: share of pairs in which it has less, a tie counts half; *: the best"
	case sweep.JCTHours:
		return "the best policy first; JCT: job completion time, from submission to finish, the mean of a run's jobs; p50, p95, p99: of the runs;\n" +
			"late: jobs were not done when runs were cut; 95 %: confidence interval; minus: mean of the paired differences; wins: share of pairs in\n" +
			"which jobs take less time, a tie counts half; *: the best; front: no other policy here is faster without missing more (those that know durations do not count)"
	}
	return "the best policy first; late: misses the objective, so its cost is no answer; 95 %: confidence " +
		"interval;\nminus: mean of the paired differences; wins: share of pairs in which it costs less, a tie counts half; *: the best, of costs among " +
		"the policies\nthat meet the objective, or miss it least; front: no policy here costs less in the mean without missing more " +
		"(policies\nthat know the future do not count)"
}
