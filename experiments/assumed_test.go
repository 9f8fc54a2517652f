package experiments_test

import (
	"context"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
)

// A row says what its policy assumes that its source does not say, with the values of the run.
func TestRowsSayWhatIsAssumed(t *testing.T) {
	want := map[string]string{
		"ondemand":       "",
		"skypilot":       "try_s=10 runtime_s=60 teardown_s=0 catalog_s=0",
		"patient":        "try_s=30 runtime_s=0 teardown_s=0 catalog_s=0",
		"karpenter":      "consolidate=false capacity_rank",
		"safe:dstack":    "spot_policy=auto retry=true try_s=10 loop_s=4 fleet",
		"asg":            "strategy=price-capacity-optimized on_demand_share=0 check_s=60 no_fallback",
		"ray-elastic":    "min=0 detect_s=15 max_failures=-1 start_s=0 notice=ignored autoscaler",
		"sagemaker-spot": "ask_s=60 ec2_prices",
	}
	text := `name: assumed
horizon_s: 7200
model:
  data_parallel: {steps: 600, batch: 1, measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 1}], workers: {min: 1, max: 1}, restart_s: 60}
objectives: [{name: hour, within: 1h}]
policies: [{name: ondemand}, {name: skypilot}, {name: patient, policy: skypilot, settings: {try_s: 30, runtime_s: 0}},
  {name: karpenter}, {name: "safe:dstack"}, {name: asg}, {name: ray-elastic}, {name: sagemaker-spot}]
market: {synthetic: {zones: 2}, pools: [{type: p3.2xlarge, quota: 1, on_demand_quota: 1, on_demand_usd_per_h: 3}]}
`
	s, err := spec.Parse("assumed.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	set, err := study.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Summaries) != len(want) {
		t.Errorf("%d rows, want %d", len(set.Summaries), len(want))
	}
	for _, row := range set.Summaries {
		if expected, known := want[row.Policy]; !known || row.Assumes != expected {
			t.Errorf("%s assumes %q, want %q", row.Policy, row.Assumes, expected)
		}
	}
	for _, a := range experiments.Aggregates(set.Summaries) {
		if a.Assumes != want[a.Policy] {
			t.Errorf("%s: the total says %q, want %q", a.Policy, a.Assumes, want[a.Policy])
		}
	}
}

// A policy that follows a tool says what it assumes, and a setting that says "assumed" is one of that list.
func TestToolsSayWhatIsAssumed(t *testing.T) {
	tools := 0
	for _, info := range policies.List() {
		said := info.Assumptions(info.Defaults())
		for _, setting := range policies.Settings(info.Defaults()) {
			if strings.Contains(setting.Doc, "assumed: ") != (setting.Assumed != "") {
				t.Errorf("%s: setting %s is described as %q", info.Name, setting.Name, setting.Doc)
			}
		}
		if !info.Tool {
			continue
		}
		tools++
		if said == "" {
			t.Errorf("%s follows a tool and says nothing of what it assumes", info.Name)
		}
	}
	if tools < 6 {
		t.Errorf("%d policies follow tools, want at least 6", tools)
	}
}
