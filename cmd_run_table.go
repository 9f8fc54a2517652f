package main

import (
	"fmt"
	"io"
	"math"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// printAggregates prints one table an objective.
func printAggregates(w io.Writer, rows []experiments.Aggregate) error {
	for i := 0; i < len(rows); {
		first := &rows[i]
		goal := fmt.Sprintf("loss %v", first.ObjectiveLoss)
		if first.ObjectiveLoss == 0 {
			goal = "all samples"
		}
		fmt.Fprintf(w, "%s: %s within %v s; market: %s; %d runs a policy\n", first.Objective, goal, first.ObjectiveS, first.Market, first.Runs)
		t := newTable("policy", "met", "95 %", "cost USD", "p5", "p95", "finish s", "p5", "p95", "preemptions", "instance-h", "useful")
		from := i
		for ; i < len(rows) && rows[i].Objective == first.Objective; i++ {
			t.row(aggregateCells(&rows[i])...)
		}
		markAggregates(t, rows[from:i])
		if err := t.print(w); err != nil {
			return err
		}
		if i < len(rows) {
			fmt.Fprintln(w)
		}
	}
	n, by := rows[0].MetCI.Units, rows[0].Unit
	_, err := fmt.Fprintln(w, "\nmet: Wilson's 95 % interval of "+intervals.Count(n, by)+"; cost, finish, preemptions, instance-hours: means of the runs; p5, p95: percentiles; useful: share of instance-hours; *: the best")
	for _, a := range rows {
		if a.Finished < a.Runs {
			warn(w, "%s, %s: %d of %d runs did not finish before the horizon: cost and hours are those until then", a.Objective, a.Policy, a.Runs-a.Finished, a.Runs)
		}
	}
	if doubt := intervals.Doubt(n, by); doubt != "" {
		warn(w, "%s", doubt)
	}
	if by == results.BySeed && n < fewForTails {
		warn(w, "%d runs a policy say little about p5 and p95, expected at least %d: --seeds %[2]d", n, fewForTails)
	}
	return err
}

// fewForTails is the number of units of which five lie beyond a percentile of 5 or 95.
const fewForTails = 100

// markAggregates marks the best policies of an objective. Those that know the
// future do not take part, nor in cost and time those with runs that the horizon cut.
func markAggregates(t *table, rows []experiments.Aggregate) {
	for column, of := range map[int]func(*experiments.Aggregate) float64{
		1:  func(a *experiments.Aggregate) float64 { return -float64(a.Met) },
		3:  func(a *experiments.Aggregate) float64 { return a.CostUSD.Mean },
		4:  func(a *experiments.Aggregate) float64 { return a.CostUSD.P5 },
		5:  func(a *experiments.Aggregate) float64 { return a.CostUSD.P95 },
		6:  func(a *experiments.Aggregate) float64 { return a.FinishS.Mean },
		7:  func(a *experiments.Aggregate) float64 { return a.FinishS.P5 },
		8:  func(a *experiments.Aggregate) float64 { return a.FinishS.P95 },
		11: func(a *experiments.Aggregate) float64 { return -a.UsefulShare },
	} {
		markBest(t, column, rows, func(a *experiments.Aggregate) float64 {
			if a.Oracle || a.Finished < a.Runs && column >= 3 && column <= 8 {
				return math.NaN()
			}
			return of(a)
		})
	}
}

func aggregateCells(a *experiments.Aggregate) []string {
	name := a.Policy
	if a.Oracle {
		name += " (knows the future)"
	}
	cells := []string{name, fmt.Sprintf("%d/%d", a.Met, a.Runs), fmt.Sprintf("%.0f to %.0f %%", 100*a.MetCI.Low, 100*a.MetCI.High),
		fmt.Sprintf("%.3f", a.CostUSD.Mean), fmt.Sprintf("%.3f", a.CostUSD.P5), fmt.Sprintf("%.3f", a.CostUSD.P95)}
	if a.FinishS == nil {
		cells = append(cells, "never", "", "")
	} else {
		cells = append(cells, fmt.Sprintf("%.0f", a.FinishS.Mean), fmt.Sprintf("%.0f", a.FinishS.P5), fmt.Sprintf("%.0f", a.FinishS.P95))
	}
	return append(cells, fmt.Sprintf("%.2f", a.Preemptions), fmt.Sprintf("%.2f", a.InstanceH), fmt.Sprintf("%.1f %%", 100*a.UsefulShare))
}
