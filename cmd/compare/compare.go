// Package compare is the command marigram compare: policies beside a baseline, run by run.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// Flags say what is compared, and with what.
type Flags struct {
	cli.Selection
	Across   []string `flag:"across" help:"instead, compare the values of this parameter of a sweep, <path[=value]>, with one of them, the first if none is given, policy by policy; may be repeated, each with the others at theirs"`
	Baseline string   `flag:"baseline" complete:"@policies" help:"policy to compare with, by <name>; by default reactive, ondemand, fifo or first-fit"`
	By       sweep.By // what their runs are compared by
	version  int      // of the schema of what was compared
}

type commandFlags struct {
	Flags
	All    bool   `flag:"all" help:"print the policies of every cell of a sweep, not only the best"`
	Metric string `flag:"by" complete:"@metrics" help:"what runs of many jobs are compared by, a <metric>: {names}"`
	Pooled bool   `flag:"pooled" help:"take the cells of a sweep together, in one table: each of its cells and starts (or seeds) counts as one for intervals"`
	JSON   bool   `flag:"json" help:"print a JSON array instead of the tables"`
	LaTeX  bool   `flag:"latex" with:"across" help:"print a table in LaTeX"`
	Queues string `flag:"queues" help:"instead, compare how long the jobs of each queue wait in DIR and in <folder>, a run of the same jobs with other quotas, job by job"`
}

var _ = cli.NameList("metrics", func() []cli.Name { return cli.Names(results.MetricNames()...) })

// Command returns the command.
func Command() *cobra.Command {
	var f commandFlags
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "compare DIR",
		Short: "Compare the policies of a sweep or a run with a baseline, run by run",
		Long: `Ranks the policies of DIR, a folder of marigram run or of a complete marigram sweep,
and compares each with a baseline: in the same cell, from the same start and with the
same seed. They are printed in this order: policies that meet the objective by cost, then those
that miss it by how often they meet it.

For each policy it prints the mean, p50, p95 and p99 of the cost; the share of runs
that missed the objective (Wilson's 95 % interval); the mean of the paired cost
differences, "minus" the baseline (95 % interval: Student's law, corrected for
skewness by Hall's transformation); the share of pairs won;
and the Pareto front of cost and misses. If the horizon cut runs, a second table has
the cost per sample and the samples, relative to the baseline (sums over all pairs;
bootstrap 95 % interval). Intervals count starts that share no part of the trace on a
recorded market, and seeds where each draws its own market: the column after n.
Warns when samples are too few, and where two shares of late runs are not shown to
differ (exact sign test; missed_p in JSON). Runs of many jobs (jobs in the spec) are compared by the
mean job completion time instead of the cost, or by what --by says. --json has the
name of what they are compared by as metric, its unit as unit, and its mean as value.

With --across it is an ablation: the values of a parameter of a sweep are compared with
one of them, policy by policy, from the same start under the same seed, with p-values
(paired t test by Hall's transformation) and those corrected for the number of comparisons (Holm).

With --queues it compares DIR with another folder of marigram run whose jobs are the same: how
much longer those of each queue (the vc) wait there, the mean of the paired differences with its
95 % interval. Intervals count seeds where each draws its jobs (from 5 on), else 10 parts of the
list of equal length in time.

For a sweep with several cells it prints one table, the cells ranked by their best
policies. --where selects cells and shows their policies, --all shows those of every
cell. --policy and --objective select a part; the front is then that of the selected
policies.`,
		Example: `  marigram compare out --baseline reactive
  marigram compare sweep --where market.replay.notice_s=30 --policy varuna,bamboo
  marigram compare before --queues after
  marigram compare sweep --across policy.patience_s=60 --across policy.overhead_s=30 --latex`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Queues != "" {
				return compareQueues(cmd.OutOrStdout(), args[0], f.Queues, f.JSON)
			}
			return f.run(cmd, args[0])
		},
	}, &f)
	ofPolicies := []string{"objective", "where", "policy", "across", "baseline", "all", "by", "pooled", "latex"}
	for _, other := range ofPolicies {
		cmd.MarkFlagsMutuallyExclusive("queues", other)
	}
	return cmd
}

// run compares the policies of a folder, and prints what comes out in the form that is asked for.
func (f *commandFlags) run(cmd *cobra.Command, dir string) error {
	f.By = sweep.By{Metric: f.Metric, Pooled: f.Pooled}
	rows, err := f.Compare(dir)
	if err != nil {
		return err
	}
	cli.WarnOutdated(cmd, f.version)
	out := cmd.OutOrStdout()
	switch {
	case f.Across != nil && f.LaTeX:
		return cli.Failed(latexAblation(out, rows))
	case f.Across != nil && !f.JSON:
		printAblation(out, rows)
		return nil
	case f.JSON:
		return cli.WriteJSON(out, rows)
	case !f.All && f.Where == nil && cellsOf(rows) > 1:
		return cli.Failed(printCells(out, dir, f.Baseline, rows))
	}
	printComparisons(out, f.Baseline, rows)
	return nil
}

// Compare compares the selected runs of a folder. The baseline takes part, too.
func (f *Flags) Compare(dir string) ([]sweep.Comparison, error) {
	if f.By.Metric != "" {
		if _, err := results.MetricNamed(f.By.Metric); err != nil {
			return nil, fmt.Errorf("--by: %w", err)
		}
	}
	if f.Across != nil {
		return f.ablate(dir)
	}
	names, compare, version, err := comparerOf(dir)
	if err != nil {
		return nil, err
	}
	f.version = version
	if f.Baseline == "" {
		f.Baseline = "ondemand"
		for _, name := range []string{"reactive", "ondemand", "fifo", "first-fit"} {
			if slices.Contains(names, name) {
				f.Baseline = name
				break
			}
		}
	}
	if !slices.Contains(names, f.Baseline) {
		return nil, fmt.Errorf("--baseline: %s has no runs of %q, expected one of %s", dir, f.Baseline,
			strings.Join(names, ", "))
	}
	if len(f.Policies) > 0 && !slices.Contains(f.Policies, f.Baseline) {
		f.Policies = append(f.Policies, f.Baseline)
	}
	f.By.Baseline = f.Baseline
	f.By.Keep = func(r *results.SweepRow) (bool, error) {
		c, err := f.Cell(r.Parameters)
		return err == nil && f.Take(r.Objective, r.Policy, c), err
	}
	rows, err := compare(f.By)
	if err != nil {
		return nil, cli.Failed(cli.Repeated(dir, err))
	}
	return rows, f.Check()
}

// comparerOf returns the policies of a folder, what compares its runs, and its
// schema version.
func comparerOf(dir string) (policies []string, compare func(sweep.By) ([]sweep.Comparison, error), version int,
	err error) {
	if cli.IsSweep(dir) {
		folder, err := sweep.OpenFolder(dir)
		if err != nil {
			return nil, nil, 0, err
		}
		return folder.Plan.Policies(), folder.Compare, folder.Plan.Schema, nil
	}
	rows, from, err := results.ReadRuns(dir)
	for i := range rows {
		if !slices.Contains(policies, rows[i].Policy) {
			policies = append(policies, rows[i].Policy)
		}
	}
	compare = func(by sweep.By) ([]sweep.Comparison, error) { return sweep.CompareRuns(rows, by) }
	return policies, compare, from.SchemaVersion, err
}

// ablate compares the values of parameters, each with the others at theirs.
func (f *Flags) ablate(dir string) (all []sweep.Comparison, err error) {
	if !cli.IsSweep(dir) {
		return nil, fmt.Errorf("--across: %s is no folder of a sweep, "+
			"whose cells have different values of a parameter", dir)
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	f.version = folder.Plan.Schema
	var asked []sweep.Ablation
	for _, text := range f.Across {
		path, value, given := strings.Cut(text, "=")
		values, err := folder.Plan.Values(path)
		if err != nil {
			return nil, fmt.Errorf("--across: %w", err)
		}
		if !given {
			value = values[0]
		}
		asked = append(asked, sweep.Ablation{Path: path, Value: value})
	}
	by := f.By
	by.Keep = func(r *results.SweepRow) (bool, error) {
		c, err := f.Cell(r.Parameters)
		return err == nil && f.Take(r.Objective, r.Policy, c), err
	}
	for i, ablation := range asked {
		ablation.Fixed = map[string]string{}
		for k, other := range asked {
			if k != i {
				ablation.Fixed[other.Path] = other.Value
			}
		}
		rows, err := folder.Ablate(by, ablation)
		if err != nil {
			return nil, cli.Failed(fmt.Errorf("--across %s: %w", ablation.Path, err))
		}
		all = append(all, rows...)
	}
	sweep.Correct(all)
	return all, f.Check()
}
