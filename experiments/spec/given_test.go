package spec

import (
	"strings"
	"testing"
)

// Of keys of which one is expected, two are too many even if one holds an empty text, as for the schema.
func TestEmptyKeyIsGiven(t *testing.T) {
	const text = `name: x
model: {data_parallel: {steps: 1000, batch: 64, measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 1}, {type: p3.2xlarge, workers: 2, steps_per_s: 2}]}}
objectives: [{LIMIT}]
market:
  synthetic: {zones: 1}
  pools: [{type: p3.2xlarge, quota: 2, on_demand_quota: 2, on_demand_usd_per_h: 3}]
`
	for limit, want := range map[string]string{
		"time_s: 50":             "",
		`within: "", time_s: 50`: "objectives[0]: expected one of",
		`within: 1h, time_s: 50`: "objectives[0]: expected one of",
		`within: ""`:             "objectives[0]",
	} {
		_, err := Parse("x.yaml", []byte(strings.Replace(text, "LIMIT", limit, 1)))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, expected %q", limit, err, want)
		}
	}
}
