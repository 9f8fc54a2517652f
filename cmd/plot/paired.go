package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/cmd/compare"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

func pairedCommand() *cobra.Command {
	var f compare.Flags
	return figureCommand(&cobra.Command{
		Use:   "paired DIR -o FILE",
		Short: "Difference of each policy from a baseline, run by run",
		Long: `Draws the output of marigram compare for the results in DIR: for every objective and
combination of parameters, the mean difference between the cost (of many jobs, the
mean completion time) of each policy and that of the baseline in the same cell, with
the same start and seed; its 95 %
interval (Student's law corrected by Hall's transformation, over starts of a recorded
market that share no part of it, and over seeds otherwise); and the share of pairs in which it has less. A policy
that misses its objective is hollow, with the share of its runs that met it. --where,
--policy and --objective select a part; --across compares the values of a parameter instead.`,
		Example: `  marigram plot paired sweep --baseline reactive -o paired.svg
  marigram plot paired sweep --where market.replay.notice_s=30 --policy spotdnn -o notice.svg`,
	}, func(cmd *cobra.Command, args []string) (*canvas.Figure, error) { return drawPaired(cmd, &f, args[0]) }, &f)
}

func drawPaired(cmd *cobra.Command, f *compare.Flags, dir string) (*canvas.Figure, error) {
	rows, err := f.Compare(dir)
	if err != nil {
		return nil, err
	}
	baseline := f.Baseline
	if len(f.Across) > 0 {
		baseline = rows[0].Baseline
		for i := range rows {
			if rows[i].Baseline != baseline {
				baseline = "the first value"
			}
		}
	}
	runs := study{Selection: f.Selection}
	if err := runs.read(cmd, dir, func(*runOf) {}); err != nil { // for the markets
		return nil, err
	}
	about := runs.about(quantities[0]) + "; intervals: Hall's" + runs.basis()
	if slices.ContainsFunc(rows, func(c sweep.Comparison) bool { return c.PairUnits() < intervals.Few }) {
		term.Warn(cmd.ErrOrStderr(), "fewer than %d pairs in some: their intervals are unreliable", intervals.Few)
	}
	panels, err := differences(rows, baseline)
	if err != nil {
		return nil, err
	}
	title := "value"
	unit := ""
	if metric, err := results.MetricNamed(rows[0].Metric); err == nil {
		title = metric.Title
		unit = metric.Unit
	}
	minus := fmt.Sprintf("%s minus that of %s", title, baseline)
	return plots.Paired(runs.name+": "+minus, about, fmt.Sprintf("%s (%s)", minus, unit), panels)
}

// differences are the panels: an objective under a combination of parameters each.
func differences(rows []sweep.Comparison, baseline string) (panels []plots.Differences, err error) {
	for i := range rows {
		c := &rows[i]
		if i == 0 || c.Objective != rows[i-1].Objective || c.Parameters != rows[i-1].Parameters {
			where, err := cli.ParseCombination(c.Parameters)
			if err != nil {
				return nil, cli.Failed(err)
			}
			panels = append(panels, plots.Differences{Title: where.Title(c.Objective)})
		}
		if c.Policy == baseline || c.Policy == c.Baseline || c.Pairs == 0 {
			continue
		}
		panel := &panels[len(panels)-1]
		panel.Of = append(panel.Of, differenceOf(c))
	}
	return panels, nil
}

func differenceOf(c *sweep.Comparison) plots.Difference {
	difference := plots.Difference{
		PolicyResult: plots.PolicyResult{
			Policy:   c.Policy,
			Oracle:   c.Oracle,
			ManyJobs: c.ManyJobs,
			Met:      c.MetShare(),
			Misses:   c.Misses,
		},
		Mean:  c.Diff,
		Low:   math.NaN(),
		High:  math.NaN(),
		Pairs: c.Pairs,
		Wins:  c.WinRate,
	}
	if c.DiffCI != nil {
		difference.Low = c.DiffCI.Low
		difference.High = c.DiffCI.High
	}
	return difference
}
