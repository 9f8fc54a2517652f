// Package run is the command marigram run: the simulation of a spec.
package run

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/report"
)

type runFlags struct {
	policies []string
	set      []string
	seed     int64
	seeds    int
	out      string
	json     bool
	noPlots  bool
	trace    string
}

// Command returns the command.
func Command() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SPEC",
		Short: "Simulate a spec: a table, Parquet files and plots",
		Long: `Simulates every objective of a spec under every policy and seed, and prints a table.
With --out it also writes result tables (Parquet) and plots into a folder: all runs,
and the timelines, decisions, candidates and instances of the first seed (of more
seeds if the spec says so: timelines). SPEC is a file, or the name of a spec that
comes with marigram. The same spec, seed and version give the same bytes.`,
		Example: `  marigram run quickstart --out out
  marigram run my.yaml --policy reactive,spotdnn --seed 7 --seeds 1 --json
  marigram run my.yaml -s market.replay.notice_s=30 -s policy.patience_s=600`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteSpecs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.policies, "policy", nil,
		"only these policies, `a,b`, with their settings in the spec or else the defaults")
	flags.StringArrayVarP(&f.set, "set", "s", nil, "value of a parameter, `path=value`, instead of that of the spec")
	flags.Int64Var(&f.seed, "seed", 0, "first seed, instead of the spec's")
	flags.IntVar(&f.seeds, "seeds", 0, "number of seeds, instead of the spec's")
	flags.StringVar(&f.out, "out", "", "write results and plots into this `folder`")
	flags.BoolVar(&f.json, "json", false, "print a JSON array instead of the table")
	flags.BoolVar(&f.noPlots, "no-plots", false, "write no plots")
	flags.StringVar(&f.trace, "trace", "", "write the timelines of the first seed into this `file` for "+
		"ui.perfetto.dev or chrome://tracing: instances, jobs, prices")
	cli.Must(cmd.RegisterFlagCompletionFunc("policy", cli.CompletePolicies))
	return cmd
}

// override applies the flags to the spec and returns the command line as far as
// results depend on it.
func (f *runFlags) override(cmd *cobra.Command, name string, s *spec.Spec) ([]string, error) {
	line := []string{"marigram", "run", filepath.Base(name)}
	for _, text := range f.set {
		line = append(line, "--set", text)
	}
	if cmd.Flags().Changed("policy") {
		if err := s.Choose(f.policies); err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
		line = append(line, "--policy", cmd.Flags().Lookup("policy").Value.String())
	}
	if cmd.Flags().Changed("seed") {
		if f.seed < 0 {
			return nil, fmt.Errorf("--seed %d, expected at least 0", f.seed)
		}
		s.Seed = f.seed
		line = append(line, "--seed", fmt.Sprint(f.seed))
	}
	if cmd.Flags().Changed("seeds") {
		if f.seeds < 1 || f.seeds > spec.MaxSeeds {
			return nil, fmt.Errorf("--seeds %d, expected 1 to %d", f.seeds, spec.MaxSeeds)
		}
		s.Seeds = f.seeds
		line = append(line, "--seeds", fmt.Sprint(f.seeds))
	}
	return line, s.Validate()
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	var settings []spec.Setting
	for _, text := range f.set {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return fmt.Errorf("--set %w", err)
		}
		settings = append(settings, x)
	}
	s, err := spec.Open(name, settings...)
	if err != nil {
		return err
	}
	line, err := f.override(cmd, name, s)
	if err != nil {
		return err
	}
	if f.trace != "" && s.Timelines != nil && *s.Timelines == 0 {
		return fmt.Errorf("--trace %s: the spec keeps no timelines (timelines: 0), expected 1 or more", f.trace)
	}
	if err := checkOutputs(f.out, f.trace, s.Files()); err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	for _, w := range study.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", w)
	}
	if f.out == "" {
		study.Timelines = f.traced()
	}
	set, err := simulate(cmd.Context(), study, cmd.ErrOrStderr())
	if err != nil {
		return cli.Failed(err)
	}
	v, commit := cli.BuildVersion()
	if set.Provenance, err = study.Provenance(v, commit, line); err != nil {
		return err
	}
	var written []string
	if f.out != "" {
		if written, err = f.write(set); err != nil {
			return cli.Failed(err)
		}
	}
	if f.trace != "" {
		if err := atomicfile.Write(f.trace, func(w io.Writer) error {
			return report.Trace(w,
				firstSeed(set, s.Seed))
		}); err != nil {
			return cli.Failed(err)
		}
		written = append(written, f.trace)
	}
	return f.report(cmd.OutOrStdout(), set, written)
}

// traced is the number of seeds whose timelines a trace shows.
func (f *runFlags) traced() int {
	if f.trace == "" {
		return 0
	}
	return 1
}

// simulate runs the study with a progress bar where a person looks on and it
// takes its time.
func simulate(ctx context.Context, study *experiments.Study, stderr io.Writer) (*results.Set, error) {
	shown := term.NewBar(stderr, int64(study.Runs()), "runs", "")
	study.Progress = func(done, _ int) { shown.Set(int64(done)) }
	defer shown.Clear()
	return study.Run(ctx)
}

// write writes results and plots and returns the files: all of them or none.
func (f *runFlags) write(set *results.Set) ([]string, error) {
	return atomicfile.Files(f.out, ownFiles, func(dir string) ([]string, error) {
		if err := results.WriteAll(dir, *set); err != nil {
			return nil, err
		}
		files := results.Files()
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

// firstSeed returns the runs of one seed.
func firstSeed(set *results.Set, seed int64) *results.Set {
	one := *set
	one.Summaries = slices.DeleteFunc(slices.Clone(set.Summaries), func(s results.Summary) bool { return s.Seed != seed })
	return &one
}

func (f *runFlags) report(w io.Writer, set *results.Set, written []string) error {
	rows := experiments.Aggregates(set.Summaries)
	if f.json {
		return cli.WriteJSON(w, rows)
	}
	if err := printAggregates(w, rows); err != nil {
		return cli.Failed(err)
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
