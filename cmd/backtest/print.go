package backtest

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/sim"
)

// mostRuns bounds the runs of the table; the rest is in the tables of --out.
const mostRuns = 40

// print prints the verdict first, then what it stands on.
func print(w io.Writer, v *backtest.Verdict) error {
	fmt.Fprintln(w, headline(v))
	if err := printScores(w, v); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := printRuns(w, v); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := printHours(w, v); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := printFit(w, v.FitRows()); err != nil {
		return err
	}
	if least := v.Fitted.Least; v.Fitted.Losses > 0 {
		fmt.Fprintf(w, "%d losses of instances while training; after %d of them steps were done again; training needs at least %d\n", v.Fitted.Losses,
			v.Fitted.Rollbacks, least)
	}
	for _, note := range v.Fitted.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
	return nil
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

func printScores(w io.Writer, v *backtest.Verdict) error {
	t := term.NewTable("verdict", "runs", "median error", "mean error", "worst", "in 50 %", "in 90 %", "ranks by tenth")
	for _, x := range v.ScoreRows() {
		ranks := &v.Finish.Ranks
		if x.Number == "usd" {
			ranks = &v.USD.Ranks
		}
		t.Row(x.Number, fmt.Sprint(x.Runs), format.Percent(x.MedianError), format.Percent(x.MeanError), format.Percent(x.WorstError), format.Percent(x.Inside50),
			format.Percent(x.Inside90), strings.Trim(fmt.Sprint(ranks[:]), "[]"))
	}
	return t.Print(w)
}

func printRuns(w io.Writer, v *backtest.Verdict) error {
	t := term.NewTable("run", "finish s", "predicted", "90 %", "error", "USD", "predicted", "90 %", "error", "redone", "predicted", "curve off")
	shown := 0
	for i := range v.Runs {
		j := &v.Runs[i]
		if j.Skipped != "" || shown == mostRuns {
			continue
		}
		shown++
		cells := []string{j.Name}
		cells = append(cells, compared(&j.Finish, func(x float64) string { return fmt.Sprintf("%.0f", x) })...)
		if len(j.Unpriced) > 0 {
			cells = append(cells, "", "", "", "")
		} else {
			cells = append(cells, compared(&j.USD, format.USD)...)
		}
		t.Row(append(cells, fmt.Sprintf("%.0f", j.Redone.Observed), fmt.Sprintf("%.0f", j.Redone.Median), format.Percent(j.CurveError))...)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	if v.Finish.Runs > shown {
		fmt.Fprintf(w, "the first %d of %d; --out writes all\n", shown, v.Finish.Runs)
	}
	return printSkipped(w, v)
}

// printSkipped says which runs are not compared, by reason.
func printSkipped(w io.Writer, v *backtest.Verdict) error {
	var reasons []string
	names := map[string][]string{}
	for i := range v.Runs {
		j := &v.Runs[i]
		why := j.Skipped
		if why == "" && len(j.Unpriced) > 0 {
			why = "dollars not compared: no price of " + strings.Join(slices.Compact(slices.Sorted(slices.Values(j.Unpriced))), ", ")
		}
		if why == "" {
			continue
		}
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], j.Name)
	}
	for _, why := range reasons {
		list := names[why]
		if n := len(list); n > 4 {
			list = append(list[:4:4], fmt.Sprintf("%d others", n-4))
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", strings.Join(list, ", "), why); err != nil {
			return err
		}
	}
	return nil
}

// compared returns the cells of an observed number and its prediction; empty where it is not known.
func compared(c *backtest.Compared, text func(float64) string) []string {
	cells := []string{"", text(c.Median), text(c.Low90) + " to " + text(c.High90), ""}
	if math.IsInf(c.Median, 1) {
		cells[1], cells[2] = "never", ""
	}
	if !math.IsNaN(c.Observed) {
		cells[0] = text(c.Observed)
		if !math.IsInf(c.Median, 1) && c.Observed > 0 {
			cells[3] = format.Percent(c.Error())
		}
	}
	return cells
}

// printHours prints the hours of instances by activity, of all runs together.
func printHours(w io.Writer, v *backtest.Verdict) error {
	t := term.NewTable("instance-hours", "observed", "predicted")
	var sums [sim.Activities][2]float64
	for i := range v.Runs {
		for a := range v.Runs[i].Hours {
			if v.Runs[i].Skipped == "" {
				sums[a][0] += v.Runs[i].Hours[a].Observed
				sums[a][1] += v.Runs[i].Hours[a].Median
			}
		}
	}
	for a := range sums {
		if sums[a][0] > 0 || sums[a][1] > 0 {
			t.Row(sim.Activity(a).String(), fmt.Sprintf("%.3f", sums[a][0]), fmt.Sprintf("%.3f", sums[a][1]))
		}
	}
	return t.Print(w)
}

func printFit(w io.Writer, rows []fromruns.Row) error {
	t := term.NewTable("fitted to all runs", "observations", "value", "90 %", "residual sd")
	for _, r := range rows {
		name := r.What
		if r.Type != "" {
			name += fmt.Sprintf(" of %d %s", r.Workers, r.Type)
		}
		interval, residual := fmt.Sprintf("%.4g to %.4g", r.Low90, r.High90), fmt.Sprintf("%.3g %s", r.Residual, r.Unit)
		if r.Log {
			residual = fmt.Sprintf("%.3g of the logarithm", r.Residual)
		}
		if r.N == 0 {
			interval, residual = "default", ""
		}
		if r.N == 1 || r.What == "spread" {
			residual = ""
		}
		t.Row(name, fmt.Sprint(r.N), strings.TrimSpace(fmt.Sprintf("%.4g %s", r.Value, r.Unit)), interval, residual)
	}
	return t.Print(w)
}
