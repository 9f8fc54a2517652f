// Package sweep is the commands that simulate many runs, in parts that are resumed: marigram sweep, a grid of them, and
// tune, which looks for the cheapest settings.
package sweep

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/registry"
)

// Command returns the command.
func Command() *cobra.Command {
	f := sweepFlags{Workers: allCores()}
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
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}, &f)
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
