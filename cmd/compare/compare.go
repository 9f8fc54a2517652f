// Package compare is the command marigram compare: policies beside a baseline, run by run.
package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/runs"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// Flags say what is compared, and with what.
type Flags struct {
	runs.Selection
	Baseline string
	version  int // of the schema of what was compared
}

// Command returns the command.
func Command() *cobra.Command {
	var f Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare DIR",
		Short: "Compare the policies of a sweep or a run with a baseline, run by run",
		Long: `Compares every policy with a baseline: in the same cell, from the same start and
with the same seed. DIR is a folder of marigram run, or of a complete marigram sweep.

For each policy it prints the mean, p50, p95 and p99 of the cost; the share of runs
that missed the objective (Wilson's 95 % interval); the mean of the paired cost
differences, "minus" the baseline (Student's 95 % interval); the share of pairs won;
and the Pareto front of cost and misses. If the horizon cut runs, a second table has
the cost per sample and the samples, relative to the baseline (sums over all pairs;
bootstrap 95 % interval). Intervals count starts on a recorded market, whose seeds
share one history, and seeds where each draws its own market: the column after n.
Warns when samples are too few. --where, --policy and --objective select a part; the
front is then that of the selected policies.`,
		Example: `  marigram compare out --baseline reactive
  marigram compare sweep --where market.replay.notice_s=30 --policy varuna,bamboo`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := f.Compare(args[0])
			if err != nil {
				return err
			}
			runs.WarnOutdated(cmd, f.version)
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), rows)
			}
			return cli.Failed(printComparisons(cmd.OutOrStdout(), f.Baseline, rows))
		},
	}
	f.Add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array instead of the tables")
	return cmd
}

// Add adds the flags to a command.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Baseline, "baseline", "",
		"policy to compare with, by `name`: by default reactive, or else ondemand")
	cli.Must(cmd.RegisterFlagCompletionFunc("baseline", cli.CompletePolicies))
	f.Selection.Add(cmd)
}

// Compare compares the selected runs of a folder. The baseline takes part, too.
func (f *Flags) Compare(dir string) ([]sweep.Comparison, error) {
	names, with, version, err := comparerOf(dir)
	if err != nil {
		return nil, err
	}
	f.version = version
	if f.Baseline == "" {
		if f.Baseline = "ondemand"; slices.Contains(names, "reactive") {
			f.Baseline = "reactive"
		}
	}
	if len(f.Policies) > 0 && !slices.Contains(f.Policies, f.Baseline) {
		f.Policies = append(f.Policies, f.Baseline)
	}
	rows, err := with(f.Baseline, func(r *results.SweepRow) (bool, error) {
		c, err := f.Cell(r.Parameters)
		return err == nil && f.Take(r.Objective, r.Policy, c), err
	})
	if err != nil {
		return nil, cli.Failed(err)
	}
	return rows, f.Check()
}

// comparerOf returns the policies of a folder, what compares its runs, and its
// schema version.
func comparerOf(dir string) (policies []string,
	with func(baseline string, keep sweep.Keep) ([]sweep.Comparison, error), version int, err error) {
	if runs.IsSweep(dir) {
		folder, err := sweep.OpenFolder(dir)
		if err != nil {
			return nil, nil, 0, err
		}
		return folder.Plan.Policies(), folder.Compare, folder.Plan.Schema, nil
	}
	rows, from, err := results.ReadRuns(dir)
	for i := range rows {
		policies = append(policies, rows[i].Policy)
	}
	return policies, func(baseline string, keep sweep.Keep) ([]sweep.Comparison, error) {
		return sweep.CompareRuns(rows, baseline, keep)
	}, from.SchemaVersion, err
}

// printComparisons prints a table for every objective and combination of
// parameters.
func printComparisons(w io.Writer, baseline string, rows []sweep.Comparison) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Objective == rows[0].Objective && rows[n].Parameters == rows[0].Parameters {
			n++
		}
		fmt.Fprintln(w, strings.TrimSuffix(rows[0].Objective+" "+rows[0].Parameters, " {}"))
		t := term.NewTable("policy", "n", rows[0].Unit+"s", "missed", "95 %", "cost USD", "p50", "p95", "p99",
			"minus "+baseline, "95 %", "wins", "front")
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
	_, err := fmt.Fprintln(w, "95 %: interval; minus: mean of the paired differences; wins: share of pairs in "+
		"which it costs less; *: the best, of costs that of the policies that miss least\nfront: no policy here "+
		"costs less in the mean without missing more (policies that know the future do not count)")
	return err
}

// markComparisons marks the best policies of a group. Those that know the future
// do not take part, nor in costs those with runs that the horizon cut or that miss the
// objective more often than others, as in reports.
func markComparisons(t *term.Table, rows []sweep.Comparison) {
	const missed = 3
	least := math.Nextafter(1, 0) // a policy that never meets it is no best
	for i := range rows {
		if c := &rows[i]; !c.Oracle && c.N > 0 {
			least = min(least, c.Missed)
		}
	}
	for column, of := range map[int]func(*sweep.Comparison) float64{
		missed: func(c *sweep.Comparison) float64 { return c.Missed },
		5:      func(c *sweep.Comparison) float64 { return c.MeanUSD },
		6:      func(c *sweep.Comparison) float64 { return c.P50USD },
		7:      func(c *sweep.Comparison) float64 { return c.P95USD },
		8:      func(c *sweep.Comparison) float64 { return c.P99USD },
	} {
		term.MarkBest(t, column, rows, func(c *sweep.Comparison) float64 {
			if c.Oracle || c.N == 0 || (c.Unfinished > 0 || c.Missed > least) && column != missed {
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
		term.Warn(w, "%s: %s", strings.Join(of[text], ", "), text)
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
	if c.Oracle {
		name += " (knows the future)"
	}
	cells := []string{name, fmt.Sprint(c.N)}
	if c.N == 0 {
		return append(cells, "", "", "", "", "", "", "", "", "", "", "")
	}
	cells = append(cells, fmt.Sprint(c.MissedCI.Units), fmt.Sprintf("%.1f %%", 100*c.Missed),
		fmt.Sprintf("%.1f to %.1f", 100*c.MissedCI.Low, 100*c.MissedCI.High))
	for _, usd := range []float64{c.MeanUSD, c.P50USD, c.P95USD, c.P99USD} {
		cells = append(cells, fmt.Sprintf("%.3f", usd))
	}
	if c.Policy == baseline {
		return append(cells, "", "", "", frontText(c))
	}
	diff, ci := fmt.Sprintf("%+.3f", c.DiffUSD), ""
	if c.DiffCI != nil {
		ci = fmt.Sprintf("%+.3f to %+.3f", c.DiffCI.Low, c.DiffCI.High)
	}
	return append(cells, diff, ci, fmt.Sprintf("%.0f %%", 100*c.WinRate), frontText(c))
}

func frontText(c *sweep.Comparison) string {
	if c.Front {
		return "yes"
	}
	return ""
}
