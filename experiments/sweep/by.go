package sweep

import (
	"encoding/json"

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

// formerKeys are the names that keys of a Comparison had before they named their unit beside them. They are written for
// one release, where the unit is USD only.
type formerKeys struct {
	Value float64 `json:"mean_usd"`
	P50   float64 `json:"p50_usd"`
	P95   float64 `json:"p95_usd"`
	P99   float64 `json:"p99_usd"`
	Diff  float64 `json:"diff_usd"`
}

// MarshalJSON implements json.Marshaler.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type present Comparison
	out := struct {
		present
		*formerKeys
	}{present: present(c)}
	if c.Unit == results.USD {
		out.formerKeys = &formerKeys{c.Value, c.P50, c.P95, c.P99, c.Diff}
	}
	return json.Marshal(out)
}
