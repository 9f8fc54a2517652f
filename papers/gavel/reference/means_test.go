package reference

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// The policies with a linear program, with our optima in the place of the recorded solver's: how far the mean
// completion times are from the recorded ones. The limits are what papers/RECORDED.md says of these very runs; other
// traces are off by more.
func TestMeansOfOurOptima(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	v100 := 3
	for _, x := range []struct {
		policy, traces string
		rule           func() share.Rule
		runs           int
		low, high      float64
	}{
		{"max_min_fairness", "single", func() share.Rule { return &MaxMin{Agnostic: true} }, 2, -0.003, 0.0025},
		{"max_min_fairness_perf", "single", func() share.Rule { return &MaxMin{} }, 2, -0.003, 0.0025},
		{"max_min_fairness", "multi", func() share.Rule { return &MaxMin{Agnostic: true} }, 2, -0.049, 0.026},
		{"max_min_fairness_perf", "multi static", func() share.Rule { return &MaxMin{} }, 3, -0.049, 0.026},
		{"finish_time_fairness", "single", func() share.Rule { return &rules.FinishTime{Agnostic: v100} }, 2, 0, 0.032},
		{"finish_time_fairness_perf", "single multi", func() share.Rule { return &rules.FinishTime{} }, 4, -0.002, 0.01},
		{"min_total_duration", "multi static", func() share.Rule { return &rules.MinDuration{} }, 3, -0.051, -0.021},
		{"max_sum_throughput_perf", "multi", func() share.Rule { return &rules.MaxSum{} }, 2, 0.006, 0.042},
		{"max_sum_throughput_normalized_by_cost_perf", "multi", func() share.Rule { return &rules.MaxSum{PerDollar: true} }, 2, 0.006, 0.042},
		{"max_sum_throughput_normalized_by_cost_perf_SLOs", "multi", func() share.Rule { return &rules.MaxSum{PerDollar: true, Deadlines: true} }, 2, 0.006, 0.042},
	} {
		check := near.Count(t)
		recordedRuns, runs := totals(t), testutil.Size(1, x.runs)
		for _, tr := range traces(t) {
			kind, _, _ := strings.Cut(tr.name, "_")
			r := recordedRuns[[2]string{tr.name, x.policy}]
			if r == nil || !strings.Contains(x.traces, kind) || check.N() == runs {
				continue
			}
			sum, n := 0.0, 0.0
			for _, j := range Run(Config{Jobs: tr.jobs, GPUs: tr.gpus, Order: fastestFirst, Seed: tr.seed, Price: gcpPrices,
				Shuffle: strings.HasSuffix(x.policy, "_fairness"), Rule: x.rule()}) {
				if j.Done {
					sum, n = sum+j.JCT, n+1
				}
			}
			off := sum/n/testutil.Number(t, r["mean_jct_s"]) - 1
			t.Logf("%s, %s %T: %+.2f %%", tr.name, x.policy, x.rule(), 100*off)
			check.In(tr.name+", "+x.policy, off, x.low, x.high)
		}
		if check.N() != runs {
			t.Errorf("%s: %d runs, expected %d", x.policy, check.N(), runs)
		}
	}
}
