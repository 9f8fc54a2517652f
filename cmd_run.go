package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/plots"
)

type runFlags struct {
	policies []string
	seed     int64
	seeds    int
	out      string
	json     bool
	noPlots  bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SPEC",
		Short: "Simulate a spec: a table, Parquet files and plots",
		Long: `Runs every objective of a spec under every policy and seed, prints a table, and
with --out writes summary.parquet, spans.parquet, decisions.parquet and plots
into a folder. SPEC is a file, or the name of a spec that comes with marigram.
The same spec, seed and version write the same bytes.`,
		Example: `  marigram run quickstart --out out
  marigram run my.yaml --policy reactive,spotdnn --seed 7 --seeds 1 --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.policies, "policy", nil, "only these policies, `a,b`; with their settings in the spec, else their defaults")
	flags.Int64Var(&f.seed, "seed", 0, "first seed, instead of the spec's")
	flags.IntVar(&f.seeds, "seeds", 0, "number of seeds, instead of the spec's")
	flags.StringVar(&f.out, "out", "", "write results and plots into this `folder`")
	flags.BoolVar(&f.json, "json", false, "print a JSON array instead of the table")
	flags.BoolVar(&f.noPlots, "no-plots", false, "write no plots")
	must(cmd.RegisterFlagCompletionFunc("policy", completePolicies))
	return cmd
}

func completeSpecs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return experiments.Builtin(), cobra.ShellCompDirectiveDefault
}

// override applies the flags to the spec and returns the command line as far as
// results depend on it.
func (f *runFlags) override(cmd *cobra.Command, spec *experiments.Spec) ([]string, error) {
	file, _ := spec.Source()
	line := []string{"marigram", "run", filepath.Base(file)}
	if cmd.Flags().Changed("policy") {
		if err := spec.Choose(f.policies); err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		line = append(line, "--policy", cmd.Flags().Lookup("policy").Value.String())
	}
	if cmd.Flags().Changed("seed") {
		if f.seed < 0 {
			return nil, fmt.Errorf("--seed %d, expected at least 0", f.seed)
		}
		spec.Seed = f.seed
		line = append(line, "--seed", fmt.Sprint(f.seed))
	}
	if cmd.Flags().Changed("seeds") {
		if f.seeds < 1 || f.seeds > experiments.MaxSeeds {
			return nil, fmt.Errorf("--seeds %d, expected 1 to %d", f.seeds, experiments.MaxSeeds)
		}
		spec.Seeds = f.seeds
		line = append(line, "--seeds", fmt.Sprint(f.seeds))
	}
	return line, spec.Validate()
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	spec, err := experiments.Open(name)
	if err != nil {
		return err
	}
	line, err := f.override(cmd, spec)
	if err != nil {
		return err
	}
	study, err := experiments.NewStudy(spec)
	if err != nil {
		return err
	}
	for _, w := range study.Warnings {
		warn(cmd.ErrOrStderr(), "%s", w)
	}
	set, err := simulate(cmd.Context(), study, cmd.ErrOrStderr())
	if err != nil {
		return failed(err)
	}
	v, commit := buildVersion()
	if set.Provenance, err = study.Provenance(v, commit, line); err != nil {
		return err
	}
	var written []string
	if f.out != "" {
		if written, err = f.write(set); err != nil {
			return failed(err)
		}
	}
	return f.report(cmd.OutOrStdout(), set, written)
}

// simulate runs the study with a progress bar where a person looks on and it
// takes its time.
func simulate(ctx context.Context, study *experiments.Study, stderr io.Writer) (*results.Set, error) {
	if file, ok := stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		bar := progressbar.NewOptions(study.Runs(), progressbar.OptionSetWriter(file), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("runs"), progressbar.OptionThrottle(200*time.Millisecond), progressbar.OptionClearOnFinish())
		study.Progress = func(done, _ int) { _ = bar.Set(done) }
		defer bar.Finish()
	}
	return study.Run(ctx)
}

// write writes results and plots and returns the files: all of them or none.
func (f *runFlags) write(set *results.Set) ([]string, error) {
	return replaceFiles(f.out, ownFiles, func(dir string) ([]string, error) {
		if err := results.WriteAll(dir, *set); err != nil {
			return nil, err
		}
		files := []string{results.SummaryFile, results.SpansFile, results.DecisionsFile}
		if f.noPlots {
			return files, nil
		}
		drawn, err := plots.Save(dir, set.Summaries, set.Spans)
		for _, path := range drawn {
			files = append(files, filepath.Base(path))
		}
		return files, err
	})
}

// ownFiles are what run writes: those of an earlier run are taken away, lest its
// figures stand beside other results.
var ownFiles = []string{results.SummaryFile, results.SpansFile, results.DecisionsFile,
	"timeline-*.svg", "timeline-*.png", "activities-*.svg", "activities-*.png", "cost-objective.svg", "cost-objective.png"}

func (f *runFlags) report(w io.Writer, set *results.Set, written []string) error {
	rows := experiments.Aggregates(set.Summaries)
	if f.json {
		return writeJSON(w, rows)
	}
	if err := printAggregates(w, rows); err != nil {
		return failed(err)
	}
	if written == nil {
		return nil
	}
	fmt.Fprintf(w, "\nwritten:\n")
	for _, file := range written {
		fmt.Fprintf(w, "  %s\n", file)
	}
	return nil
}

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
	_, err := fmt.Fprintln(w, "\nmet: Wilson's 95 % interval; cost, finish, preemptions, instance-hours: means of the runs; p5, p95: percentiles; useful: share of instance-hours; *: the best")
	for _, a := range rows {
		if a.Finished < a.Runs {
			warn(w, "%s, %s: %d of %d runs did not finish before the horizon: cost and hours are those until then", a.Objective, a.Policy, a.Runs-a.Finished, a.Runs)
		}
	}
	if n := rows[0].Runs; n < fewForTails {
		warn(w, "%d runs a policy say little about p5 and p95, expected at least %d: --seeds %[2]d", n, fewForTails)
	}
	return err
}

// fewForTails is the number of runs of which five lie beyond a percentile of 5 or 95.
const fewForTails = 100

// markAggregates marks the best policies of an objective. Those that know the
// future do not take part, nor in cost and time those with runs that the horizon cut.
func markAggregates(t *table, rows []experiments.Aggregate) {
	values := func(of func(*experiments.Aggregate) float64) (out []float64) {
		for i := range rows {
			x := math.NaN()
			if !rows[i].Oracle {
				x = of(&rows[i])
			}
			out = append(out, x)
		}
		return out
	}
	t.markMost(1, values(func(a *experiments.Aggregate) float64 { return float64(a.Met) }))
	t.markMost(11, values(func(a *experiments.Aggregate) float64 { return a.UsefulShare }))
	for i, of := range []func(*experiments.Spread) float64{
		func(s *experiments.Spread) float64 { return s.Mean },
		func(s *experiments.Spread) float64 { return s.P5 },
		func(s *experiments.Spread) float64 { return s.P95 },
	} {
		finished := func(s func(*experiments.Aggregate) *experiments.Spread) []float64 {
			return values(func(a *experiments.Aggregate) float64 {
				if a.Finished < a.Runs {
					return math.NaN()
				}
				return of(s(a))
			})
		}
		t.markLeast(3+i, finished(func(a *experiments.Aggregate) *experiments.Spread { return &a.CostUSD }))
		t.markLeast(6+i, finished(func(a *experiments.Aggregate) *experiments.Spread { return a.FinishS }))
	}
}

func aggregateCells(a *experiments.Aggregate) []string {
	name := a.Policy
	if a.Oracle {
		name += " (knows the future)"
	}
	met := sweep.Wilson(a.Met, a.Runs)
	cells := []string{name, fmt.Sprintf("%d/%d", a.Met, a.Runs), fmt.Sprintf("%.0f to %.0f %%", 100*met.Low, 100*met.High),
		fmt.Sprintf("%.3f", a.CostUSD.Mean), fmt.Sprintf("%.3f", a.CostUSD.P5), fmt.Sprintf("%.3f", a.CostUSD.P95)}
	if a.FinishS == nil {
		cells = append(cells, "never", "", "")
	} else {
		cells = append(cells, fmt.Sprintf("%.0f", a.FinishS.Mean), fmt.Sprintf("%.0f", a.FinishS.P5), fmt.Sprintf("%.0f", a.FinishS.P95))
	}
	return append(cells, fmt.Sprintf("%.2f", a.Preemptions), fmt.Sprintf("%.2f", a.InstanceH), fmt.Sprintf("%.1f %%", 100*a.UsefulShare))
}
