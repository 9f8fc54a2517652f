package sweep

import "github.com/marigram/marigram/experiments/results"

// By says what runs are compared by.
type By struct {
	// Metric is one of results.MetricNames, for runs of many jobs. Empty: Summary.Metric.
	Metric string
	// Pooled takes the cells of a sweep together: units of different cells are independent of each other.
	Pooled bool
}

// metric is what a run is compared by. Runs of one job are compared by their cost.
func (b *By) metric(s *results.Summary) (*results.Metric, error) {
	if b.Metric == "" || !s.ManyJobs() {
		return s.Metric(), nil
	}
	return results.MetricNamed(b.Metric)
}
