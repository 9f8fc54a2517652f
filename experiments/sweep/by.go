package sweep

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// By says what runs are compared by.
type By struct {
	// Metric is one of Metrics, for runs of many jobs. Empty: USD, for these JCTHours.
	Metric string
	// Pooled takes the cells of a sweep together: units of different cells are independent of each other.
	Pooled bool
}

// The values of Comparison.Metric. Less is better.
const (
	USD          = "usd"           // cost
	JCTHours     = "jct_h"         // mean job completion time
	USDPerGPUH   = "usd_per_gpu_h" // cost by GPU-hour of training that counts
	LateHours    = "late_h"        // mean lateness of jobs with a deadline
	LateP95Hours = "late_p95_h"    // 95th percentile of the lateness of jobs with a deadline
	LatePercent  = "late_percent"  // of these jobs, the part that was late or not done
)

// Metrics are those by which runs of many jobs can be compared.
var Metrics = []string{JCTHours, USD, USDPerGPUH, LateHours, LateP95Hours, LatePercent}

// CheckMetric returns an error for a metric that is none.
func CheckMetric(m string) error {
	for _, known := range append([]string{""}, Metrics...) {
		if m == known {
			return nil
		}
	}
	return fmt.Errorf("%q, expected one of %s", m, strings.Join(Metrics, ", "))
}

// valueOf returns what a run of many jobs is compared by.
func valueOf(r *results.SweepRow, metric string) float64 {
	switch metric {
	case USD:
		return r.CostUSD
	case USDPerGPUH:
		return r.CostUSD / r.UsefulH
	case LateHours:
		return orZero(r.LateMeanS) / 3600
	case LateP95Hours:
		return orZero(r.LateP95S) / 3600
	case LatePercent:
		return 100 * (1 - float64(r.Punctual)/float64(max(r.Deadlines, 1)))
	}
	if r.JCTMeanS != nil {
		return *r.JCTMeanS / 3600
	}
	return r.HorizonS / 3600
}

// orZero is 0 for nil: a run of no job with a deadline.
func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}
