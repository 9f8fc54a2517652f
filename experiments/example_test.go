package experiments_test

import (
	"context"
	"fmt"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
)

// A spec is read, checked and run.
func ExampleNewStudy() {
	s, err := spec.Parse("example.yaml", []byte(`
name: example
seeds: 20
model: {published: spotdnn-resnet110}
objectives:
  - {name: 40 minutes, loss: 0.8, time_s: 2400}
policies: [{name: ondemand}, {name: reactive}]
market:
  synthetic: {zones: 2}
  pools:
    - {type: p3.2xlarge, quota: 2, on_demand_quota: 4, on_demand_usd_per_h: 3.06}
`))
	if err != nil {
		fmt.Println(err) // with its line, column and what was expected
		return
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := study.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range experiments.Aggregates(set.Summaries) {
		fmt.Printf("%s: met in %d of %d runs, %.2f USD (%.2f to %.2f)\n", a.Policy, a.Met, a.Runs, a.CostUSD.Mean, a.CostUSD.P5, a.CostUSD.P95)
	}
	// Output:
	// ondemand: met in 20 of 20 runs, 6.16 USD (6.11 to 6.21)
	// reactive: met in 6 of 20 runs, 2.10 USD (0.38 to 2.98)
}
