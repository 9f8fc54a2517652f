package term

import (
	"regexp"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/intervals"
)

// The cheapest policy is one of those that meet the objective, as intervals.Best has it;
// none where nobody does.
func TestCheapest(t *testing.T) {
	rows := []experiments.Aggregate{{Policy: "ondemand", Met: 5}, {Policy: "varuna", Met: 5}, {Policy: "greedy", Met: 3},
		{Policy: "ideal", Met: 5, Oracle: true}}
	for i, usd := range []float64{8, 4, 2, 1} {
		rows[i].Runs, rows[i].Finished, rows[i].CostUSD.Mean, rows[i].FinishS = 5, 5, usd, &experiments.Spread{}
	}
	marked := func() (names string) {
		var out strings.Builder
		printObjective(&out, rows)
		for _, m := range regexp.MustCompile(`(?m)^(\w+) .* \d\.00\* `).FindAllStringSubmatch(out.String(), -1) {
			names += m[1]
		}
		return names
	}
	if got := marked(); got != "varuna" {
		t.Errorf("%q is marked as the cheapest, want varuna", got)
	}
	asked := 0.5
	for i := range rows {
		rows[i].ObjectiveShare, rows[i].Verdict = &asked, intervals.Undecided
	}
	if got := marked(); got != "greedy" {
		t.Errorf("%q is marked as the cheapest where half of the runs are asked, want greedy", got)
	}
	rows[2].Finished = 4
	if got := marked(); got != "varuna" {
		t.Errorf("%q is marked as the cheapest where the horizon cut a run of greedy, want varuna", got)
	}
	for i := range rows {
		rows[i].Met, rows[i].ObjectiveShare, rows[i].Verdict = 0, nil, ""
	}
	if got := marked(); got != "" {
		t.Errorf("%q is marked where nobody meets the objective", got)
	}
}
