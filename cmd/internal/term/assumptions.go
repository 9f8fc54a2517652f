package term

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// near is how much more than the cheapest a policy may cost that is called the best with it.
const near = 0.01

// Assumptions prints for each objective which policy is the best under each assumption of capacity, with those that
// cost as much or that the runs do not tell from it, and whether one is among them under all; of speed, what every
// policy comes to under each, and spot says whether spot is cheaper (experiments.SpotOrOnDemand).
func Assumptions(w io.Writer, all []experiments.Assumption, spot []string) {
	if len(all) == 0 {
		return
	}
	if all[0].Speed {
		columns(w, all)
		for _, text := range spot {
			fmt.Fprintln(w, text)
		}
		return
	}
	fmt.Fprintln(w, "\nno preemptions were recorded; "+
		"the best policy under three assumptions of them (docs/specs.md#prices-alone):")
	shown := table.New("objective", "assumed", "best policy", "met", "95 % CI", "cost USD|usd", "preemptions|%.2f")
	var verdicts []string
	for of := range byObjective(all[0].Rows) {
		name := of[0].Objective
		var best [][]*experiments.Aggregate
		for _, assumption := range all {
			for rows := range byObjective(assumption.Rows) {
				if rows[0].Objective != name {
					continue
				}
				policies := experiments.BestOf(rows, near)
				best = append(best, policies)
				if len(policies) == 0 {
					shown.Row(name, assumption.Name, "none", nil, nil, nil, nil)
					continue
				}
				first := policies[0]
				interval := fmt.Sprintf("%.0f to %.0f %%", 100*first.MetCI.Low, 100*first.MetCI.High)
				shown.Row(name, assumption.Name, namesOf(policies, ", "), fmt.Sprintf("%d/%d", first.Met, first.Runs),
					interval,
					first.CostUSD.Mean, first.Preemptions)
			}
		}
		verdicts = append(verdicts, name+": "+verdictOf(all, best))
	}
	Print(w, shown)
	fmt.Fprintln(w)
	for _, text := range verdicts {
		fmt.Fprintln(w, text)
	}
}

// columns prints what every policy costs under each assumption, of speed and of capacity, how many runs meet the
// objective, and what is true of all of them.
func columns(w io.Writer, all []experiments.Assumption) {
	fmt.Fprintln(w, "\nthe speed is an estimate; USD and runs in time at both ends of its 80 % band and in the middle "+
		"(docs/dollars.md):")
	heads := []string{"objective", "policy"}
	for _, of := range all {
		heads = append(heads, of.Name)
	}
	shown := table.New(heads...)
	var verdicts []string
	for rows := range byObjective(all[0].Rows) {
		name := rows[0].Objective
		best := make([][]*experiments.Aggregate, len(all))
		met := false
		for i := range rows {
			values := []any{name, rows[i].Policy}
			always := true
			for k := range all {
				row := find(all[k].Rows, name, rows[i].Policy)
				values = append(values, fmt.Sprintf("%s (%d/%d)", units.AboutUSD(row.CostUSD.Mean), row.Met, row.Runs))
				always = always && row.Judged() && row.Unmet(experiments.RequireMet) == ""
			}
			met = met || always
			shown.Row(values...)
		}
		for k := range all {
			for of := range byObjective(all[k].Rows) {
				if of[0].Objective == name {
					best[k] = experiments.BestOf(of, near)
				}
			}
		}
		switch {
		case !met:
			verdicts = append(verdicts, name+": no policy meets the objective in all columns: "+
				"expected a later deadline, or a measured speed")
		case len(rows) > 1:
			verdicts = append(verdicts, name+": "+verdictOf(all, best))
		}
	}
	Print(w, shown)
	fmt.Fprintln(w)
	for _, of := range all {
		for i := range of.Rows {
			warnNeverSpot(w, &of.Rows[i], " if "+of.Name)
		}
	}
	for _, text := range verdicts {
		fmt.Fprintln(w, text)
	}
}

// find returns the row of a policy for an objective.
func find(rows []experiments.Aggregate, objective, policy string) *experiments.Aggregate {
	at := slices.IndexFunc(rows, func(row experiments.Aggregate) bool {
		return row.Objective == objective && row.Policy == policy
	})
	return &rows[at]
}

// namesOf lists policies.
func namesOf(best []*experiments.Aggregate, between string) string {
	var names []string
	for _, one := range best {
		names = append(names, one.Policy)
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(names, between)
}

// verdictOf says whether a policy is among the best under all assumptions, and what it costs.
func verdictOf(all []experiments.Assumption, best [][]*experiments.Aggregate) string {
	for _, policies := range best {
		if len(policies) == 0 {
			return "under one of the assumptions no policy is the best: expected more starts, or another objective"
		}
	}
	for _, first := range best[0] {
		costs := []string{units.AboutUSD(first.CostUSD.Mean)}
		for _, policies := range best[1:] {
			for _, other := range policies {
				if other.Policy == first.Policy {
					costs = append(costs, units.AboutUSD(other.CostUSD.Mean))
				}
			}
		}
		if len(costs) == len(best) {
			assumptions := []string{"three", "five"}[(len(all)-3)/2]
			return fmt.Sprintf("%s is the best under all %s, "+
				"costs at most 1 %% more or is not told from the best: %s USD",
				first.Policy, assumptions, strings.Join(costs, ", "))
		}
	}
	var parts []string
	for k, policies := range best {
		usd := units.AboutUSD(policies[0].CostUSD.Mean)
		parts = append(parts, fmt.Sprintf("%s if %s (%s USD)", namesOf(policies, " or "), all[k].Name, usd))
	}
	return "which policy is the best hangs on what is assumed: " + strings.Join(parts, ", ")
}
