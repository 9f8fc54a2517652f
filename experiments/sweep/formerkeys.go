package sweep

import (
	"encoding/json"

	"github.com/marigram/marigram/experiments/results"
)

// formerKeys are the names that keys of a Comparison had before they named their unit beside them. They are written for one
// release, where the unit is USD only.
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
