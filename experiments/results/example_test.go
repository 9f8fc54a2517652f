package results_test

import (
	"fmt"
	"os"

	"github.com/marigram/marigram/experiments/results"
)

// A run is written and read again. Rows whose books do not balance are refused.
func Example() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	finish := 2380.0
	run := results.Summary{Scenario: "example", Objective: "40 minutes", Policy: "steady", Seed: 1, Market: "made up (synthetic)", Unit: results.BySeed,
		ObjectiveLoss: 0.8, ObjectiveS: 2400, Finished: true, FinishS: &finish, Met: true,
		CostUSD: 2.5, CostSpotUSD: 2.5, InstanceH: 2, UsefulH: 1.9, StartingH: 0.1}
	if err := results.WriteAll(dir, results.Set{Summaries: []results.Summary{run}}); err != nil {
		fmt.Println(err)
		return
	}
	set, err := results.ReadAll(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range set.Summaries {
		fmt.Println(r.Policy, r.Met, *r.FinishS, "s", r.CostUSD, "USD")
	}
	run.CostUSD = 3
	fmt.Println(results.WriteAll(dir, results.Set{Summaries: []results.Summary{run}}))
	// Output:
	// steady true 2380 s 2.5 USD
	// run 0 (steady, 40 minutes, seed 1): cost_usd is 3, its parts are 2.5
}
