package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// near is how much more than the cheapest a policy may cost that is called the best with it.
const near = 0.01

// Assumptions prints for each objective which policy is the best under each assumption of capacity, and whether it is the same.
func Assumptions(w io.Writer, all []experiments.Assumption) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w, "\nno preemptions were recorded; the best policy under three assumptions of them (docs/specs.md#prices-alone):")
	t := table.New("objective", "assumed", "best policy", "met", "95 % CI", "cost USD|usd", "preemptions|%.2f")
	var verdicts []string
	for of := range byObjective(all[0].Rows) {
		name := of[0].Objective
		var best [][]*experiments.Aggregate
		for _, a := range all {
			for rows := range byObjective(a.Rows) {
				if rows[0].Objective != name {
					continue
				}
				b := experiments.BestOf(rows, near)
				best = append(best, b)
				if len(b) == 0 {
					t.Row(name, a.Typical, "none", nil, nil, nil, nil)
					continue
				}
				x := b[0]
				t.Row(name, a.Typical, namesOf(b), fmt.Sprintf("%d/%d", x.Met, x.Runs), fmt.Sprintf("%.0f to %.0f %%", 100*x.MetCI.Low, 100*x.MetCI.High),
					x.CostUSD.Mean, x.Preemptions)
			}
		}
		verdicts = append(verdicts, name+": "+verdictOf(all, best))
	}
	Print(w, t)
	fmt.Fprintln(w)
	for _, text := range verdicts {
		fmt.Fprintln(w, text)
	}
}

// namesOf lists policies.
func namesOf(best []*experiments.Aggregate) string {
	var names []string
	for _, b := range best {
		names = append(names, b.Policy)
	}
	if n := len(names) - 3; n > 0 {
		names = append(names[:3], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// verdictOf says whether a policy is the best under all assumptions, or within a percent of it, and what it costs.
func verdictOf(all []experiments.Assumption, best [][]*experiments.Aggregate) string {
	for _, b := range best {
		if len(b) == 0 {
			return "under one of the assumptions no policy is the best: expected more starts, or another objective"
		}
	}
	for _, x := range best[0] {
		costs := []string{units.AboutUSD(x.CostUSD.Mean)}
		for _, b := range best[1:] {
			for _, y := range b {
				if y.Policy == x.Policy {
					costs = append(costs, units.AboutUSD(y.CostUSD.Mean))
				}
			}
		}
		if len(costs) == len(best) {
			return fmt.Sprintf("%s is the best under all three, or costs at most 1 %% more: %s USD", x.Policy, strings.Join(costs, ", "))
		}
	}
	var parts []string
	for k, b := range best {
		parts = append(parts, fmt.Sprintf("%s if %s (%s USD)", b[0].Policy, all[k].Typical, units.AboutUSD(b[0].CostUSD.Mean)))
	}
	return "the best policy hangs on what is assumed: " + strings.Join(parts, ", ")
}
