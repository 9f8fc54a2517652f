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
	"github.com/marigram/marigram/internal/table"
)

// printComparisons prints a table for every objective and combination of
// parameters.
func printComparisons(w io.Writer, baseline string, rows []sweep.Comparison) {
	metric := results.Cost
	byStart := len(rows) > 0 && rows[0].SamplingUnit == results.ByStart
	for len(rows) > 0 {
		ofFirst := 1
		metric = rows[0].Metric
		for ofFirst < len(rows) && rows[ofFirst].Objective == rows[0].Objective &&
			rows[ofFirst].Parameters == rows[0].Parameters {
			ofFirst++
		}
		fmt.Fprintln(w, strings.TrimSuffix(rows[0].Objective+" "+rows[0].Parameters, " {}"))
		in := "|" + plain(rows[0].Unit)
		header := []string{"policy", "n", independentHeading(&rows[0]), "missed|percent", "95 %",
			heading(&rows[0]) + in, "p50" + in, "p95" + in, "p99" + in,
			"minus " + baseline + "|" + signed(rows[0].Unit), "95 %", "wins", "front|yes/"}
		if bound := rows[0].Bound; bound != nil {
			header = append(header, "above bound")
			fmt.Fprintf(w, "bound: %v\n", bound)
		}
		shown := table.New(header...)
		slices.SortStableFunc(rows[:ofFirst],
			func(a, bound sweep.Comparison) int { return cmp.Compare(a.Rank, bound.Rank) })
		for i := range rows[:ofFirst] {
			shown.Row(comparisonCells(&rows[i], baseline)...)
		}
		markComparisons(shown, rows[:ofFirst])
		term.Print(w, shown)
		printPerSample(w, rows[:ofFirst])
		warnComparisons(w, rows[:ofFirst])
		rows = rows[ofFirst:]
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, legend(metric))
	if byStart {
		fmt.Fprintln(w, "starts apart: those that share no part of the trace, which intervals count")
	}
}

// markComparisons marks the best policies of a group. Those that know the future do
// not take part, nor in costs those that intervals.Best leaves out. Nothing is marked where no policy may be called
// the best (intervals.NoBest).
func markComparisons(t *table.Table, rows []sweep.Comparison) {
	const missed = 3
	if slices.ContainsFunc(rows, func(c sweep.Comparison) bool { return c.N > 0 && c.NoBest != "" }) {
		return
	}
	ranking := make([]intervals.RankingRow, len(rows))
	for i := range rows {
		ranking[i] = rows[i].RankingRow()
	}
	best := map[string]bool{}
	for i, isBest := range intervals.Best(ranking, rows[0].Asked) {
		best[rows[i].Policy] = isBest
	}
	for column, of := range map[int]func(*sweep.Comparison) float64{
		missed: func(c *sweep.Comparison) float64 { return c.Missed },
		5:      func(c *sweep.Comparison) float64 { return c.Value },
		6:      func(c *sweep.Comparison) float64 { return c.P50 },
		7:      func(c *sweep.Comparison) float64 { return c.P95 },
		8:      func(c *sweep.Comparison) float64 { return c.P99 },
	} {
		table.MarkBest(t, column, rows, func(c *sweep.Comparison) float64 {
			if c.Oracle || c.N == 0 || !best[c.Policy] && column != missed {
				return math.NaN()
			}
			return of(c)
		})
	}
}

// warnComparisons prints each warning of a group once, with the policies that it is of, and what is not decided.
func warnComparisons(w io.Writer, rows []sweep.Comparison) {
	for i := range rows {
		for _, text := range rows[i].NotDecided {
			term.Warn(w, "%s", text)
		}
	}
	var texts []string
	of := map[string][]string{}
	for _, row := range rows {
		for _, text := range row.Warnings {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], row.Policy)
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
func printPerSample(w io.Writer, rows []sweep.Comparison) {
	if !slices.ContainsFunc(rows,
		func(row sweep.Comparison) bool { return row.Unfinished > 0 && row.PerSample != nil }) {
		return
	}
	shown := table.New("policy", "cost of a sample, ratio|%.3f", "95 %", "samples, ratio|%.3f", "95 %")
	for _, row := range rows {
		cells := []any{row.Policy}
		for _, ratio := range []*sweep.Ratio{row.PerSample, row.Samples} {
			if ratio == nil {
				cells = append(cells, nil, nil)
				continue
			}
			cells = append(cells, ratio.Ratio, between(&ratio.CI, "%.3f"))
		}
		shown.Row(cells...)
	}
	term.Print(w, shown)
}

func comparisonCells(c *sweep.Comparison, baseline string) []any {
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
	cells := []any{name, c.N}
	if c.N == 0 {
		return cells
	}
	cells = append(cells, c.MissedCI.Units, c.Missed, missedInterval(c), c.Value, c.P50, c.P95, c.P99)
	if c.Policy == baseline {
		cells = append(cells, nil, nil, nil, c.Front)
	} else {
		cells = append(cells, c.Diff, between(c.DiffCI, signed(c.Unit)), fmt.Sprintf("%.0f %%", 100*c.WinRate), c.Front)
	}
	if c.Bound != nil {
		cells = append(cells, c.Bound.AboveText())
	}
	return cells
}

// missedInterval writes the interval of the share of runs that miss the objective.
func missedInterval(c *sweep.Comparison) string {
	return fmt.Sprintf("%.1f to %.1f", 100*c.MissedCI.Low, 100*c.MissedCI.High)
}

// independentHeading is what the column of the numbers that intervals count is called.
func independentHeading(c *sweep.Comparison) string {
	if c.SamplingUnit == results.ByStart {
		return "starts apart"
	}
	return c.SamplingUnit + "s"
}

// between writes an interval; nothing where there is none.
func between(ci *intervals.Interval, form string) string {
	if ci == nil {
		return ""
	}
	return table.Format(form, ci.Low) + " to " + table.Format(form, ci.High)
}

// heading is what the column of the values of a comparison is called.
func heading(c *sweep.Comparison) string {
	if metric, err := results.MetricNamed(c.Metric); err == nil {
		return metric.Heading()
	}
	return c.Metric // no run succeeded
}

// plain returns the format of values in a unit, signed that of differences.
func plain(unit string) string {
	if unit == results.USD {
		return "usd"
	}
	return "%.3f"
}

func signed(unit string) string {
	if unit == results.USD {
		return "+usd"
	}
	return "%+.3f"
}

// legend says what the columns of a table are.
func legend(metric string) string {
	switch metric {
	case results.Undone:
		return "in the order of work left, policies that keep to the budget first; " +
			"work left: share of the training that was not done for the budget; " +
			"missed: exceeds the budget; 95 %: confidence interval;\n" +
			"minus: mean of the paired differences; wins: share of pairs in which it leaves less, a tie counts half; " +
			"*: the best observed value; front: no policy here leaves less\n" +
			"in the mean without missing more (policies that know the future do not count)"
	case "usd_per_gpu_h", "late_h", "late_p95_h", "late_percent":
		return "the least value first; cost USD/GPU-h: cost by GPU-hour of training that counts; " +
			"late h: mean time from a job's deadline to its finish, 0 for\n" +
			"jobs that meet it, p95: its 95th percentile; late %: jobs that miss their deadline; " +
			"late in a row: jobs were not done when runs were cut; 95 %: confidence interval;\n" +
			"minus: mean of the paired differences; wins: share of pairs in which it has less, a tie counts half; " +
			"*: the best observed value"
	case "jct_h":
		return "the shortest mean JCT first; JCT: job completion time, from submission to finish, " +
			"the mean of a run's jobs; p50, p95, p99: of the runs;\n" +
			"late: jobs were not done when runs were cut; 95 %: confidence interval; " +
			"minus: mean of the paired differences; wins: share of pairs in\n" +
			"which jobs take less time, a tie counts half; *: the best; " +
			"front: no other policy here is faster without missing more (those that know durations do not count)"
	}
	return "in the order of cost, policies that meet the objective first; " +
		"late: misses the objective, so its cost is no answer; 95 %: confidence interval;\n" +
		"minus: mean of the paired differences; wins: share of pairs in which it costs less, a tie counts half; " +
		"*: the best observed value, of costs among the policies\n" +
		"that meet the objective, or miss it least; " +
		"front: no policy here costs less in the mean without missing more (policies\n" +
		"that know the future do not count)"
}
