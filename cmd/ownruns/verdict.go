package ownruns

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/sim"
)

// maxRuns bounds the runs of the table; the rest is in the tables of --out.
const maxRuns = 40

// printVerdict prints the verdict first, then what it stands on.
func printVerdict(w io.Writer, v *backtest.Verdict) {
	fmt.Fprintln(w, headline(v))
	printScores(w, v)
	fmt.Fprintln(w)
	printRuns(w, v)
	fmt.Fprintln(w)
	printHours(w, v)
	fmt.Fprintln(w)
	printFit(w, v.FitRows())
	if smallest := v.Fitted.Min; v.Fitted.Losses > 0 {
		fmt.Fprintf(w, "%d losses of instances while training; after %d of them steps were done again; "+
			"training needs at least %d\n", v.Fitted.Losses, v.Fitted.Rollbacks, smallest)
	}
	for _, note := range v.Fitted.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
}

// headline says of how many runs the verdict is, and whether it is one of predictions.
func headline(v *backtest.Verdict) string {
	text := fmt.Sprintf("%d of %d runs compared", v.Finish.Runs, len(v.Runs))
	switch {
	case v.Finish.Runs == 0:
		return text + ": no verdict"
	case len(v.Runs) == 1:
		return text + ": the model was fitted to this very run, so that this is no prediction; give more runs for one"
	}
	return text + ", each predicted from all others"
}

func printScores(w io.Writer, v *backtest.Verdict) {
	shown := table.New("verdict", "runs", "median error|share", "mean error|share", "worst|share", "in 50 %|share",
		"in 90 %|share", "ranks by tenth")
	for _, score := range v.ScoreRows() {
		ranks := &v.Finish.Ranks
		if score.Number == "usd" {
			ranks = &v.USD.Ranks
		}
		shown.Row(score.Number, score.Runs, score.MedianError, score.MeanError, score.WorstError, score.Inside50,
			score.Inside90, strings.Trim(fmt.Sprint(ranks[:]), "[]"))
	}
	term.Print(w, shown)
}

func printRuns(w io.Writer, v *backtest.Verdict) {
	t := table.New("run", "finish s", "predicted", "90 %", "error", "USD", "predicted", "90 %", "error",
		"redone|%.0f", "predicted|%.0f", "curve off|share")
	shown := 0
	for i := range v.Runs {
		judged := &v.Runs[i]
		if judged.Skipped != "" || shown == maxRuns {
			continue
		}
		shown++
		cells := append([]any{judged.Name}, compared(&judged.Finish, "%.0f")...)
		if len(judged.Unpriced) > 0 {
			cells = append(cells, nil, nil, nil, nil)
		} else {
			cells = append(cells, compared(&judged.USD, "usd")...)
		}
		t.Row(append(cells, judged.Redone.Observed, judged.Redone.Median, judged.CurveError)...)
	}
	term.Print(w, t)
	if v.Finish.Runs > shown {
		fmt.Fprintf(w, "the first %d of %d; --out writes all\n", shown, v.Finish.Runs)
	}
	printSkipped(w, v)
}

// printSkipped says which runs are not compared, by reason.
func printSkipped(w io.Writer, v *backtest.Verdict) {
	var reasons []string
	names := map[string][]string{}
	for i := range v.Runs {
		judged := &v.Runs[i]
		why := judged.Skipped
		if why == "" && len(judged.Unpriced) > 0 {
			why = "dollars not compared: no price of " +
				strings.Join(slices.Compact(slices.Sorted(slices.Values(judged.Unpriced))), ", ")
		}
		if why == "" {
			continue
		}
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], judged.Name)
	}
	for _, why := range reasons {
		list := names[why]
		if runs := len(list); runs > 4 {
			list = append(list[:4:4], fmt.Sprintf("%d others", runs-4))
		}
		fmt.Fprintf(w, "%s: %s\n", strings.Join(list, ", "), why)
	}
}

// compared returns the cells of an observed number and its prediction; empty where it is not known.
func compared(c *backtest.Compared, form string) []any {
	text := func(x float64) string { return table.Format(form, x) }
	cells := []any{nil, text(c.Median), text(c.Low90) + " to " + text(c.High90), nil}
	if math.IsInf(c.Median, 1) {
		cells[1] = "never"
		cells[2] = nil
	}
	if !math.IsNaN(c.Observed) {
		cells[0] = text(c.Observed)
		if !math.IsInf(c.Median, 1) && c.Observed > 0 {
			cells[3] = table.Format("share", c.Error())
		}
	}
	return cells
}

// printHours prints the hours of instances by activity, of all runs together.
func printHours(w io.Writer, v *backtest.Verdict) {
	shown := table.New("instance-hours", "observed|%.3f", "predicted|%.3f")
	var sums [sim.Activities][2]float64
	for i := range v.Runs {
		for number := range v.Runs[i].Hours {
			if v.Runs[i].Skipped == "" {
				sums[number][0] += v.Runs[i].Hours[number].Observed
				sums[number][1] += v.Runs[i].Hours[number].Median
			}
		}
	}
	for number := range sums {
		if sums[number][0] > 0 || sums[number][1] > 0 {
			shown.Row(sim.Activity(number).String(), sums[number][0], sums[number][1])
		}
	}
	term.Print(w, shown)
}

func printFit(w io.Writer, rows []fromruns.Row) {
	shown := table.New("fitted to all runs", "observations", "value", "90 %", "residual sd")
	for _, row := range rows {
		name := row.What
		if row.Type != "" {
			name += fmt.Sprintf(" of %d %s", row.Workers, row.Type)
		}
		interval := fmt.Sprintf("%.4g to %.4g", row.Low90, row.High90)
		residual := fmt.Sprintf("%.3g %s", row.Residual, row.Unit)
		if row.Log {
			residual = fmt.Sprintf("%.3g of the logarithm", row.Residual)
		}
		if row.N == 0 {
			interval = "default"
		}
		if row.N <= 1 || row.What == "spread" {
			residual = ""
		}
		shown.Row(name, row.N, strings.TrimSpace(fmt.Sprintf("%.4g %s", row.Value, row.Unit)), interval, residual)
	}
	term.Print(w, shown)
}
