package experiments

import (
	"fmt"
	"strings"
	"testing"
)

// An hour on demand costs 3.06 USD, so that a limit of 5 % is 0.15 USD. A restart that takes longer than 180 s costs
// more on demand: no try of spot is affordable, and the run says so. Where spot was requested or the policy has no limit, it
// says nothing.
func TestRunsSayThatNoSpotInstanceWasAffordable(t *testing.T) {
	for _, c := range []struct {
		policy   string
		restartS int
		says     bool
	}{
		{"{name: 'safe:reactive'}", 300, true},
		{"{name: 'safe:reactive', settings: {regret: 0.2}}", 300, false},
		{"{name: 'safe:reactive'}", 60, false},
		{"{name: ondemand}", 300, false},
	} {
		study, err := studyOf(fmt.Sprintf(`
name: limit
seeds: 3
model:
  data_parallel:
    samples: 230400
    batch: 64
    restart_s: %d
    measured: [{type: p3.2xlarge, workers: 1, steps_per_s: 1}]
objectives: [{name: o, within: 4h}]
policies: [%s]
market:
  synthetic: {zones: 1}
  pools: [{type: p3.2xlarge, quota: 1, on_demand_quota: 1, on_demand_usd_per_h: 3.06}]
`, c.restartS, c.policy))
		if err != nil {
			t.Fatal(err)
		}
		set := runStudy(t, study)
		said := 0
		for i := range set.Summaries {
			r := &set.Summaries[i]
			if !strings.Contains(r.Warnings, NeverSpot) {
				continue
			}
			said++
			if r.CostSpotUSD != 0 {
				t.Errorf("%s, restart %d s: %q, but spot cost %g USD", c.policy, c.restartS, r.Warnings, r.CostSpotUSD)
			}
		}
		if said != 0 && !c.says || said != len(set.Summaries) && c.says {
			t.Errorf("%s, restart %d s: %d of %d runs say so", c.policy, c.restartS, said, len(set.Summaries))
		}
	}
}
