package experiments_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
)

// Policies that the runs do not tell from the cheapest one are named with it, whatever their mean; one that costs more
// in every pair is not.
func TestBestOfNamesTheUndecided(t *testing.T) {
	var rows []results.Summary
	for _, policy := range []string{"dear", "alike", "cheap"} {
		for seed := range 40 {
			usd := 10 + float64(seed%5)
			switch policy {
			case "alike":
				usd += float64(seed%7) - 2.5
			case "dear":
				usd += 2 + float64(seed%3)
			}
			rows = append(rows, results.Summary{
				Policy:     policy,
				Objective:  "o",
				Unit:       results.BySeed,
				Seed:       int64(seed),
				CostUSD:    usd,
				Goal:       "deadline",
				Met:        true,
				Finished:   true,
				FinishS:    new(1.0),
				ObjectiveS: 2,
			})
		}
	}
	var names []string
	for _, best := range experiments.BestOf(experiments.Aggregates(rows), 0) {
		names = append(names, best.Policy)
	}
	if want := []string{"cheap", "alike"}; !slices.Equal(names, want) {
		t.Errorf("%s, expected %s", fmt.Sprint(names), want)
	}
}
