// Package sweep is the commands that simulate many runs, in parts that are resumed: marigram sweep, a grid of them, and
// tune, which looks for the cheapest settings.
package sweep

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/registry"
)

// Command returns the command.
func Command() *cobra.Command {
	flags := sweepFlags{Workers: allCores()}
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "sweep SPEC",
		Short: "Run a grid of parameters, starts and seeds: resumable, in shards",
		Long: `Runs every cell of a sweep spec (or one spec, over its seeds) from every start with
every seed, and writes one Parquet file per chunk of runs into a folder. Repeat the
command to resume it after a stop. The bytes of a chunk do not depend on the process
that wrote it. Failed runs are rows with their error: the sweep continues, lists
them at its end and exits with status 1.

SPEC has base (a spec), and any of matrix, zip, include, exclude, seeds, starts and
chunk_runs. A parameter is a path in the spec, such as market.replay.notice_s or
objectives.0.time_s. policy is a list of policies by name; policy.NAME is a setting,
for the policies that have it.`,
		Example: `  marigram sweep quickstart --seeds 1000 -s market.replay.notice_s=30,120 --out out --dry-run
  marigram sweep my-sweep.yaml --out out --shard auto/64   # a task of an array
  marigram sweep status out
  marigram sweep merge out -o runs.parquet`,
		Args:              oneSpec,
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0]) },
	}, &flags)
	cmd.AddCommand(statusCommand(), cli.Interruptible(retryCommand()), cli.Interruptible(mergeCommand()))
	return cmd
}

// oneSpec expects one argument, or knows what was meant instead.
func oneSpec(cmd *cobra.Command, args []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	err := cobra.ExactArgs(1)(cmd, args)
	if len(args) > 1 {
		err = fmt.Errorf("%w%s", err, registry.DidYouMean("\n", args[0], names))
	}
	return err
}

func statusCommand() *cobra.Command {
	var f cli.Answer
	return cli.WithFlags(&cobra.Command{
		Use:     "status DIR",
		Short:   "Check every chunk of a sweep: done, missing, failed, damaged, foreign",
		Example: "  marigram sweep status out",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := sweep.OpenFolder(args[0])
			if err != nil {
				return err
			}
			status, err := folder.Status()
			if err != nil {
				return cli.Failed(err)
			}
			return f.Give(cmd, status, func(w io.Writer) { printStatus(w, &status) })
		},
	}, &f)
}

func printStatus(w io.Writer, s *sweep.Status) {
	fmt.Fprintf(w, "plan %.12s: %d of %d chunks are done, %d of %d runs; %d chunks are missing, %d "+
		"runs in %d chunks failed\n",
		s.Plan, s.Done, s.Chunks, s.Made, s.Runs, len(s.Missing), s.Broken, len(s.Failed))
	for _, fault := range s.Faults {
		fmt.Fprintln(w, "not a chunk:", fault)
	}
	if len(s.Strays) > 0 {
		fmt.Fprintln(w, "other files:", strings.Join(s.Strays, ", "))
	}
}

type mergeFlags struct {
	Output string `flag:"output,o" required:"true" help:"<file> to write"`
}

func mergeCommand() *cobra.Command {
	var f mergeFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "merge DIR",
		Short: "Write all chunks of a sweep into one file",
		Long: `Checks that every chunk is complete and unchanged, and writes all rows, in the order
of the runs, into one Parquet file (or CSV, if its name ends in .csv). The bytes do
not depend on which process wrote the chunks. Merging is optional: DuckDB reads the
folder directly.`,
		Example: "  marigram sweep merge out -o runs.parquet",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ending := filepath.Ext(f.Output); ending != ".csv" && ending != ".parquet" {
				return fmt.Errorf("--output %s: expected a name that ends in .parquet or .csv", f.Output)
			}
			folder, err := sweep.OpenFolder(args[0])
			if err != nil {
				return err
			}
			merged, err := folder.Merge(cmd.Context(), f.Output)
			if err != nil {
				return cli.Failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d runs of %d chunks, %d failed\n",
				f.Output, merged.Runs, merged.Chunks, merged.Broken)
			return nil
		},
	}, &f)
}

type retryFlags struct {
	Workers
	cli.Commands
}

func retryCommand() *cobra.Command {
	f := retryFlags{Workers: allCores()}
	return cli.WithFlags(&cobra.Command{
		Use:     "retry DIR",
		Short:   "Repeat the chunks with failed runs, and run the missing ones",
		Example: "  marigram sweep retry out",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			thrift(35)
			old, err := sweep.OpenFolder(args[0])
			if err != nil {
				return err
			}
			folder, err := f.again(cmd, old)
			if err != nil {
				return planned(err)
			}
			return f.sweep(cmd, folder, sweep.Options{Shard: sweep.Whole, Retry: true})
		},
	}, &f)
}

// again plans what is in a folder once more, which must come to the same.
func (f *retryFlags) again(cmd *cobra.Command, old *sweep.Folder) (*sweep.Folder, error) {
	spec, err := sweep.Reopen(old.Plan)
	if err != nil {
		return nil, err
	}
	spec.AllowCommands = f.Allow
	version, commit := cli.BuildVersion()
	plan, err := spec.Plan(cmd.Context(), version, commit)
	if err != nil {
		return nil, err
	}
	return plan.Begin(old.Dir)
}
