package compare

import (
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// heading is what the column of the values of a comparison is called.
func heading(c *sweep.Comparison) string {
	if m, err := results.MetricNamed(c.Metric); err == nil {
		return m.Heading()
	}
	return c.Metric // no run succeeded
}

// plain returns the format of values in a unit, signed that of differences.
func plain(unit string) string {
	if unit == results.USD {
		return "usd"
	}
	return "%.3f"
}

func signed(unit string) string {
	if unit == results.USD {
		return "+usd"
	}
	return "%+.3f"
}

// legend says what the columns of a table are.
func legend(metric string) string {
	switch metric {
	case "usd_per_gpu_h", "late_h", "late_p95_h", "late_percent":
		return "the best policy first; cost USD/GPU-h: cost by GPU-hour of training that counts; late h: mean time from a job's deadline to its finish, 0 for\n" +
			"jobs that meet it, p95: its 95th percentile; late %: jobs that miss their deadline; late in a row: jobs were not done when runs were cut; 95 %: confidence interval;\n" +
			"minus: mean of the paired differences; wins: share of pairs in which it has less, a tie counts half; *: the best"
	case "jct_h":
		return "the best policy first; JCT: job completion time, from submission to finish, the mean of a run's jobs; p50, p95, p99: of the runs;\n" +
			"late: jobs were not done when runs were cut; 95 %: confidence interval; minus: mean of the paired differences; wins: share of pairs in\n" +
			"which jobs take less time, a tie counts half; *: the best; front: no other policy here is faster without missing more (those that know durations do not count)"
	}
	return "the best policy first; late: misses the objective, so its cost is no answer; 95 %: confidence " +
		"interval;\nminus: mean of the paired differences; wins: share of pairs in which it costs less, a tie counts half; *: the best, of costs among " +
		"the policies\nthat meet the objective, or miss it least; front: no policy here costs less in the mean without missing more " +
		"(policies\nthat know the future do not count)"
}
