package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// printComparisons prints a table for every objective and combination of
// parameters.
func printComparisons(w io.Writer, baseline string, rows []sweep.Comparison) error {
	metric := results.Cost
	for len(rows) > 0 {
		n := 1
		metric = rows[0].Metric
		for n < len(rows) && rows[n].Objective == rows[0].Objective && rows[n].Parameters == rows[0].Parameters {
			n++
		}
		fmt.Fprintln(w, strings.TrimSuffix(rows[0].Objective+" "+rows[0].Parameters, " {}"))
		header := []string{"policy", "n", rows[0].SamplingUnit + "s", "missed", "95 %", heading(&rows[0]), "p50", "p95", "p99",
			"minus " + baseline, "95 %", "wins", "front"}
		if b := rows[0].Bound; b != nil {
			header = append(header, "above bound")
			fmt.Fprintf(w, "bound: %v\n", b)
		}
		t := term.NewTable(header...)
		ranked(rows[:n])
		for i := range rows[:n] {
			t.Row(comparisonCells(&rows[i], baseline)...)
		}
		markComparisons(t, rows[:n])
		if err := t.Print(w); err != nil {
			return err
		}
		if err := printPerSample(w, rows[:n]); err != nil {
			return err
		}
		warnComparisons(w, rows[:n])
		rows = rows[n:]
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, legend(metric))
	return err
}

// ranked sorts the policies of a group, the best first.
func ranked(rows []sweep.Comparison) {
	slices.SortStableFunc(rows, func(a, b sweep.Comparison) int { return cmp.Compare(a.Rank, b.Rank) })
}

// markComparisons marks the best policies of a group. Those that know the future do
// not take part, nor in costs those that intervals.Best leaves out.
func markComparisons(t *term.Table, rows []sweep.Comparison) {
	const missed = 3
	ranking := make([]intervals.RankingRow, len(rows))
	for i := range rows {
		ranking[i] = rows[i].RankingRow()
	}
	best := map[string]bool{}
	for i, b := range intervals.Best(ranking, rows[0].Asked) {
		best[rows[i].Policy] = b
	}
	for column, of := range map[int]func(*sweep.Comparison) float64{
		missed: func(c *sweep.Comparison) float64 { return c.Missed },
		5:      func(c *sweep.Comparison) float64 { return c.Value },
		6:      func(c *sweep.Comparison) float64 { return c.P50 },
		7:      func(c *sweep.Comparison) float64 { return c.P95 },
		8:      func(c *sweep.Comparison) float64 { return c.P99 },
	} {
		term.MarkBest(t, column, rows, func(c *sweep.Comparison) float64 {
			if c.Oracle || c.N == 0 || !best[c.Policy] && column != missed {
				return math.NaN()
			}
			return of(c)
		})
	}
}

// warnComparisons prints each warning of a group once, with the policies that it is of.
func warnComparisons(w io.Writer, rows []sweep.Comparison) {
	var texts []string
	of := map[string][]string{}
	for _, c := range rows {
		for _, text := range c.Warnings {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], c.Policy)
		}
	}
	for _, text := range texts {
		who := strings.Join(of[text], ", ")
		if len(of[text]) == len(rows) && len(rows) > 1 {
			who = "all policies"
		}
		term.Warn(w, "%s: %s", who, text)
	}
}

// printPerSample prints what a sample costs where some runs were cut.
func printPerSample(w io.Writer, rows []sweep.Comparison) error {
	if !slices.ContainsFunc(rows, func(c sweep.Comparison) bool { return c.Unfinished > 0 && c.PerSample != nil }) {
		return nil
	}
	t := term.NewTable("policy", "cost of a sample, ratio", "95 %", "samples, ratio", "95 %")
	for _, c := range rows {
		cells := []string{c.Policy}
		for _, r := range []*sweep.Ratio{c.PerSample, c.Samples} {
			if r == nil {
				cells = append(cells, "", "")
				continue
			}
			cells = append(cells, fmt.Sprintf("%.3f", r.Ratio), fmt.Sprintf("%.3f to %.3f", r.CI.Low, r.CI.High))
		}
		t.Row(cells...)
	}
	return t.Print(w)
}

func comparisonCells(c *sweep.Comparison, baseline string) []string {
	name := c.Policy
	switch {
	case c.Oracle && c.ManyJobs:
		name += " (knows durations)"
	case c.Oracle:
		name += " (knows the future)"
	}
	if c.Misses {
		name += ", late"
	}
	cells := []string{name, fmt.Sprint(c.N)}
	if c.N == 0 {
		return append(cells, "", "", "", "", "", "", "", "", "", "", "")
	}
	var above []string
	if c.Bound != nil {
		above = []string{c.Bound.AboveText()}
	}
	cells = append(cells, fmt.Sprint(c.MissedCI.Units), fmt.Sprintf("%.1f %%", 100*c.Missed),
		fmt.Sprintf("%.1f to %.1f", 100*c.MissedCI.Low, 100*c.MissedCI.High))
	for _, x := range []float64{c.Value, c.P50, c.P95, c.P99} {
		cells = append(cells, plain(c.Unit)(x))
	}
	if c.Policy == baseline {
		return append(append(cells, "", "", "", frontText(c)), above...)
	}
	return append(append(cells, signed(c.Unit)(c.Diff), between(c.DiffCI, signed(c.Unit)),
		fmt.Sprintf("%.0f %%", 100*c.WinRate), frontText(c)), above...)
}

func frontText(c *sweep.Comparison) string {
	if c.Front {
		return "yes"
	}
	return ""
}

// between writes an interval; nothing where there is none.
func between(ci *intervals.Interval, write func(float64) string) string {
	if ci == nil {
		return ""
	}
	return write(ci.Low) + " to " + write(ci.High)
}
