package sweep

import (
	"github.com/marigram/marigram/experiments/results"
)

// By says what runs are compared with, which, and by what.
type By struct {
	Baseline string // the policy that the others are compared with
	Keep     Keep   // which runs take part; nil: all
	// Metric is one of results.MetricNames, for runs of many jobs. Empty: Summary.Metric.
	Metric string
	// Pooled takes the cells of a sweep together: units of different cells are independent of each other.
	Pooled bool
}

// Keep says whether a run takes part in a comparison.
type Keep func(r *results.SweepRow) (bool, error)

// metric is what a run is compared by. Runs of one job are compared by their cost.
func (b *By) metric(s *results.Summary) (*results.Metric, error) {
	if b.Metric == "" || !s.ManyJobs() {
		return s.Metric(), nil
	}
	return results.MetricNamed(b.Metric)
}
