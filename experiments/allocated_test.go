package experiments

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// clusters are many jobs on what a spec can give them; %s is the market's billing and commitments.
var clusters = []struct {
	text     string
	commits  bool // commitments may be there
	policies []string
}{{`name: servers-and-spot
market:
  synthetic: {regions: 2, zones: 1, machines: 6}
  pools: [{type: p3.2xlarge, quota: 6, gpu: v100, on_demand_quota: 8, on_demand_usd_per_h: 3.06}]
  servers: [{gpu: v100, gpus: 4, count: 1}]
%s
model: {gang: {speeds: gavel, restart_s: 30, save_every_s: 600, save_s: 5}}
jobs: {gavel: {jobs: 12, mean_gap_s: 900}, deadlines: {factors: [1.2, 3]}}
`, true, []string{"srtf", "fifo", "deadline-spot", "starburst"}}}

// What the jobs cost and what is no job's are the bill, however it is counted.
func TestJobsAreTheBill(t *testing.T) {
	check := near.Count(t)
	n := testutil.Size(len(clusters), 12)
	if testing.Short() {
		n = 2
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		c := clusters[seed%len(clusters)]
		rules := fmt.Sprintf("  billing: {increment_s: %s, minimum_s: %s, free_first_hour_on_revocation: %s, disk_gb: %s, disk_usd_per_gb_month: "+
			"0.08, tax: %s, storage_gb: %s, storage_usd_per_gb_month: 0.02}\n",
			one("1", "60", "3600"), one("0", "60", "600"), one("false", "true"), one("0", "100"), one("0", "0.19"), one("0", "500"))
		if c.commits {
			rules += one("", "  commitments: [{kind: savings_plan, type: p3.2xlarge, instances: 2, usd_per_h: 1.9}]\n")
		}
		text := fmt.Sprintf(c.text, rules) + "policies: [{name: " + one(c.policies...) + "}]\n"
		set := runCluster(t, text, "")
		for _, s := range set.Summaries {
			jobs := s.CostUnallocatedUSD
			for _, j := range set.Jobs {
				if j.Run == s.Run {
					jobs += j.CostUSD
				}
			}
			parts := s.CostSpotUSD + s.CostOnDemandUSD + s.CostPSUSD + s.CostStorageUSD + s.CostTransferUSD + s.CostDisksUSD + s.CostCheckpointsUSD +
				s.CostCommitmentsUSD + s.CostTaxUSD + s.CostTopupUSD - s.RefundUSD
			if check.OffRel(jobs, s.CostUSD, 1e-9) || check.OffRel(parts, s.CostUSD, 1e-9) {
				t.Errorf("%s: the jobs and what is nobody's cost %v USD, the parts %v, the bill is %v\n%s", s.Policy, jobs, parts, s.CostUSD, text)
			}
		}
	}
}
