package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/sweep"
)

type sweepFlags struct {
	out    string
	jobs   int
	shard  string
	set    []string
	seeds  int
	chunk  int
	dryRun bool
}

func Command() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep SPEC",
		Short: "Run a grid of parameters, starts and seeds: resumable, in shards",
		Long: `Runs the cells of a sweep spec (or one spec, over its seeds), each from every
start and under every seed, and writes a Parquet file for every chunk of runs
into a folder. The same command again goes on where it was stopped; which
process made a chunk changes no byte of it. Runs that fail are rows with their
error: the sweep goes on, lists them at its end and exits with 1.

SPEC has base (a spec), and any of matrix, zip, include, exclude, seeds, starts,
chunk_runs. Parameters are paths in the spec, such as market.replay.notice_s or
objectives.0.time_s; policy is the policies by name, and policy.NAME a setting
of those that have it.`,
		Example: `  marigram sweep quickstart --seeds 1000 -s market.replay.notice_s=30,120 --out out --dry-run
  marigram sweep my-sweep.yaml --out out --shard auto/64   # a task of an array
  marigram sweep status out
  marigram sweep merge out -o runs.parquet`,
		Args:              oneSpec,
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` of the sweep")
	f.common(cmd)
	flags.StringVar(&f.shard, "shard", "0/1", "run `I/N` of the chunks, I from 0; auto/N takes I from the scheduler")
	flags.StringArrayVarP(&f.set, "set", "s", nil, "values of a parameter, `path=a,b`, instead of those of the spec")
	flags.IntVar(&f.seeds, "seeds", 0, "number of seeds, instead of the spec's")
	flags.IntVar(&f.chunk, "chunk-runs", 0, "runs in a chunk, instead of the spec's")
	flags.BoolVar(&f.dryRun, "dry-run", false,
		"print cells, chunks, and time and disk from a probe of a second; write nothing")
	cmd.AddCommand(sweepStatusCommand(), cli.Interruptible(sweepRetryCommand()), cli.Interruptible(sweepMergeCommand()))
	return cmd
}

// thrift has garbage collected when it is half of what lives, not as much: many
// processes of a sweep share a machine. A sweep makes little of it, so that it
// costs some 2 % of time for a quarter of the memory. GOGC says otherwise.
func thrift() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(50)
	}
}

// oneSpec expects one argument, or knows what was meant instead.
func oneSpec(cmd *cobra.Command, args []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	err := cobra.ExactArgs(1)(cmd, args)
	if len(args) > 1 && experiments.Nearest(args[0], names) != "" {
		err = fmt.Errorf("%w\ndid you mean %q?", err, experiments.Nearest(args[0], names))
	}
	return err
}

// common adds the flags of whatever runs a sweep.
func (f *sweepFlags) common(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&f.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "`number` of runs at one time")
}

func (f *sweepFlags) run(cmd *cobra.Command, name string) error {
	thrift()
	plan, err := f.plan(cmd, name)
	if err != nil {
		return planned(err)
	}
	shard, err := sweep.ParseShard(f.shard, os.Getenv)
	if err != nil {
		return fmt.Errorf("--shard %w", err)
	}
	switch {
	case f.dryRun:
		return f.estimate(cmd, plan)
	case f.out == "":
		return fmt.Errorf("--out is missing: where are the chunks to be?")
	}
	folder, err := plan.Begin(f.out)
	if err != nil {
		return cli.Failed(err)
	}
	return f.sweep(cmd, folder, sweep.Options{Shard: shard})
}

// plan reads the sweep with its overrides and numbers it.
func (f *sweepFlags) plan(cmd *cobra.Command, name string) (*sweep.Plan, error) {
	if f.jobs < 1 || f.jobs > maxJobs {
		return nil, fmt.Errorf("--jobs %d, expected 1 to %d", f.jobs, maxJobs)
	}
	spec, err := sweep.Open(name)
	if err != nil {
		return nil, err
	}
	for _, x := range f.set {
		if err := spec.Override(x); err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
	}
	if cmd.Flags().Changed("seeds") {
		if f.seeds < 1 || f.seeds > experiments.MaxSeeds {
			return nil, fmt.Errorf("--seeds %d, expected 1 to %d", f.seeds, experiments.MaxSeeds)
		}
		spec.Seeds = f.seeds
	}
	if cmd.Flags().Changed("chunk-runs") {
		if f.chunk < 1 || f.chunk > sweep.MaxChunk {
			return nil, fmt.Errorf("--chunk-runs %d, expected 1 to %d", f.chunk, sweep.MaxChunk)
		}
		spec.Chunk = f.chunk
	}
	v, commit := cli.BuildVersion()
	return spec.Plan(cmd.Context(), v, commit)
}

// planned is the error of a plan, which can go on where it was interrupted.
func planned(err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.Resumable(errors.New("interrupted; no chunk was begun; the same command goes on"))
	}
	return err
}

const maxJobs = 1024

// sweep runs a folder's chunks and says what came of it.
func (f *sweepFlags) sweep(cmd *cobra.Command, folder *sweep.Folder, o sweep.Options) error {
	stderr := cmd.ErrOrStderr()
	for _, w := range folder.Plan.Warnings {
		term.Warn(stderr, "%s", w)
	}
	o.Workers, o.Progress = f.jobs, &sweep.Progress{}
	show := watch(stderr, o.Progress)
	o.Notice = show.say
	report, err := folder.Run(cmd.Context(), o)
	show.stop()
	here := fmt.Sprintf("%d of %d chunks are there", report.Made+report.Skipped, report.Chunks)
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return cli.Resumable(fmt.Errorf("interrupted; %s; the same command goes on with the rest", here))
	case err != nil:
		return cli.Failed(fmt.Errorf("%w\n%s; the same command goes on with the rest", err, here))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d chunks: %d made, %d were there; %d runs; plan %.12s in %s\n",
		report.Chunks, report.Made, report.Skipped, o.Progress.All.Load(), folder.Plan.Hash, folder.Dir)
	return failures(stderr, folder, report.Broken, o.Progress.Failed.Load())
}

// shownFailures is how many failed runs are listed.
const shownFailures = 20

// failures lists the runs that failed, if any, and is then an error.
func failures(w io.Writer, folder *sweep.Folder, chunks []int, n int64) error {
	if n == 0 {
		return nil
	}
	list, err := folder.Failures(chunks, shownFailures)
	for _, x := range list {
		fmt.Fprintf(w, "failed: run %d %s (%s, %s, seed %d): %s\n", x.Run, x.Parameters, x.Objective, x.Policy, x.Seed,
			x.Error)
	}
	if more := n - int64(len(list)); more > 0 && err == nil {
		fmt.Fprintf(w, "and %d more: column error of the chunks\n", more)
	}
	return cli.Failed(errors.Join(fmt.Errorf("%d runs failed; marigram sweep retry %s runs their chunks again", n,
		folder.Dir), err))
}

// estimate prints what a sweep is and will take.
func (f *sweepFlags) estimate(cmd *cobra.Command, plan *sweep.Plan) error {
	e, err := plan.Probe(cmd.Context())
	if err != nil {
		return cli.Failed(err)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s, plan %.12s: %d cells, %d starts, %d seeds: %d runs in %d chunks of at most %d runs\n", plan.Name,
		plan.Hash, len(plan.Cells),
		len(plan.StartsS), plan.Seeds, plan.Runs(), plan.Chunks(), plan.ChunkRuns(0))
	for i, c := range plan.Cells[:min(len(plan.Cells), 20)] {
		fmt.Fprintf(w, "  cell %d %s: %s\n", i, c.Parameters, strings.Join(c.Policies, ", "))
	}
	if more := len(plan.Cells) - 20; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	wall := max(time.Duration(e.TotalSeconds/float64(f.jobs)*float64(time.Second)).Round(time.Second), time.Second)
	fmt.Fprintf(w, "about %v on %d cores and %s of disk (%d runs were tried: %.3g ms and %.0f bytes a run", wall, f.jobs,
		bytesText(e.TotalBytes), e.Probed, 1e3*e.SecondsARun, e.BytesARun)
	if e.Failed > 0 {
		fmt.Fprintf(w, "; %d of them failed", e.Failed)
	}
	_, err = fmt.Fprintln(w, ")")
	return cli.Failed(err)
}

func bytesText(n float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.3g TB", n)
}
