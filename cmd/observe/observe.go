// Package observe is the command marigram observe: what the records of a past run say.
package observe

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/traces/ownruns"
	"github.com/marigram/marigram/traces/ownruns/sources"
)

// flags say what is read and written.
type flags struct {
	records cli.RecordFlags
	name    string
	out, as string
	figure  figure
	json    bool
}

// Command returns the command.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "observe FILE...",
		Short: "Read the records of a past run: instances, progress, restarts, dollars",
		Long: `Reads what was recorded of one training run and prints what it shows: the instances that
were held, how training went, what was lost, how the instance-hours were spent, and what
they cost. The files may be of different formats: the events of the fleet, the progress of
the trainer, the bill, and a history of prices. They are merged into one run.

With --out the run is written as a plain CSV, time,event,instance,type,zone,value, which
marigram backtest reads; with --as in another format, for tests of your own tools.
docs/own-runs.md says what the columns mean and how to export each format.

Where steps took longer than 3 times their usual time on as many instances, the rest counts
as a stall: restoring after instances went or the process began again, reconfiguring after
instances came, else waiting.

` + cli.RecordsHelp(),
		Example: `  marigram observe events.jsonl history.csv bill.csv.gz prices.json --instance-type p3.2xlarge --out run.csv
  marigram observe sacct.txt --time-zone Europe/Berlin --plot run.svg
  marigram observe run.csv --plot both.svg --simulated out --policy reactive
  marigram observe run.csv --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	f.records.Add(flags)
	flags.StringVar(&f.name, "name", "", "name of the run; by default that of the first file")
	flags.Float64Var(&f.figure.goal, "goal", 0, "`steps` that are the whole way, for the figure; by default the most that were done")
	flags.StringVar(&f.out, "out", "", "write the run into this `file`")
	flags.StringVar(&f.as, "as", "plain-csv", "format of --out: "+strings.Join(cli.RecordFormats(), ", "))
	flags.StringVar(&f.figure.file, "plot", "", "draw the run's timeline into this `file`: .svg, .png or .pdf")
	flags.StringVar(&f.figure.simulated, "simulated", "", "draw the run over the simulated runs of this `folder` of results, those that have a timeline")
	flags.StringVar(&f.figure.policy, "policy", "", "`name` of the policy whose simulated runs are drawn; by default all")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	cli.Must(cmd.RegisterFlagCompletionFunc("format", cli.CompleteRecords))
	cli.Must(cmd.RegisterFlagCompletionFunc("as", cli.CompleteRecords))
	return cmd
}

// check refuses flags that cannot be met, before anything is read.
func (f *flags) check(cmd *cobra.Command, args []string) error {
	switch {
	case !slices.Contains(cli.RecordFormats(), f.as):
		return fmt.Errorf("--as %q is unknown; the formats are %s", f.as, strings.Join(cli.RecordFormats(), ", "))
	case f.out == "" && cmd.Flags().Changed("as"):
		return fmt.Errorf("--as %s has no effect without --out FILE", f.as)
	case f.figure.file == "" && cmd.Flags().Changed("goal"):
		return fmt.Errorf("--goal has no effect without --plot FILE")
	case f.figure.file == "" && f.figure.simulated != "":
		return fmt.Errorf("--simulated has no effect without --plot FILE")
	case f.figure.simulated == "" && f.figure.policy != "":
		return fmt.Errorf("--policy has no effect without --simulated FOLDER")
	case !(f.figure.goal >= 0 && f.figure.goal <= ownruns.MaxValue):
		return fmt.Errorf("--goal %v, expected steps from 0 to %g", f.figure.goal, ownruns.MaxValue)
	case f.figure.file != "" && forms[strings.ToLower(filepath.Ext(f.figure.file))] == nil:
		return fmt.Errorf("--plot %s: expected a name that ends in .svg, .png or .pdf", f.figure.file)
	}
	return cli.CheckOutputs(args, f.out, f.figure.file)
}

func (f *flags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	run, err := f.records.Load(f.name, args)
	if err != nil {
		return err
	}
	if run.Only(ownruns.Price) {
		return fmt.Errorf("%s: nothing but prices, which say nothing of a run: expected its own records, too, such as the events of its machines, the steps of its trainer or its bill",
			strings.Join(args, ", "))
	}
	for _, note := range run.Notes {
		term.Warn(cmd.ErrOrStderr(), "%s", note)
	}
	if err := f.write(cmd.ErrOrStderr(), run); err != nil {
		return err
	}
	if f.json {
		return cli.Failed(cli.WriteJSON(cmd.OutOrStdout(), sayOf(run)))
	}
	return cli.Failed(printRun(cmd.OutOrStdout(), sayOf(run)))
}

// write writes the run and its figure, where that is asked for.
func (f *flags) write(errs io.Writer, run *ownruns.Run) error {
	if f.out != "" {
		var lost []string
		err := atomicfile.Write(f.out, func(w io.Writer) (err error) {
			lost, err = sources.Export(f.as, run, w)
			return err
		})
		if err != nil {
			return cli.Failed(err)
		}
		if len(lost) > 0 {
			about, _ := sources.Named(f.as)
			term.Warn(errs, "%s has no place for %s; in general it lacks: %s", f.as, strings.Join(lost, ", "), about.Lost)
		}
	}
	return f.figure.draw(run)
}
