// Package ownruns is the commands on records of runs that really happened: marigram observe, what they say, and backtest,
// simulated runs compared with them.
package ownruns

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/traces/ownruns"
	"github.com/marigram/marigram/traces/ownruns/sources"
)

// observeFlags say what is read and written.
type observeFlags struct {
	cli.RecordFlags
	Name string `flag:"name" help:"name of the run; by default that of the first file"`
	Out  string `flag:"out" help:"write the run into this <file>"`
	As   string `flag:"as" default:"plain-csv" with:"out" names:"@records" help:"format of --out: {names}"`
	figure
	cli.Answer
}

// Observe returns the command marigram observe: what the records of a past run say.
func Observe() *cobra.Command {
	var f observeFlags
	return flags.On(&cobra.Command{
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
	}, &f)
}

// check refuses flags that cannot be met, before anything is read.
func (f *observeFlags) check(args []string) error {
	switch {
	case !(f.Goal >= 0 && f.Goal <= ownruns.MaxValue):
		return fmt.Errorf("--goal %v, expected steps from 0 to %g", f.Goal, ownruns.MaxValue)
	case f.Plot != "" && canvas.Forms[strings.ToLower(filepath.Ext(f.Plot))] == nil:
		return fmt.Errorf("--plot %s: expected a name that ends in .svg, .png or .pdf", f.Plot)
	}
	return cli.CheckOutputs(args, f.Out, f.Plot)
}

func (f *observeFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(args); err != nil {
		return err
	}
	run, err := f.Load(f.Name, args)
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
	said := sayOf(run)
	return f.Give(cmd, said, func(w io.Writer) { printRun(w, said) })
}

// write writes the run and its figure, where that is asked for.
func (f *observeFlags) write(errs io.Writer, run *ownruns.Run) error {
	if f.Out != "" {
		var lost []string
		err := atomicfile.Write(f.Out, func(w io.Writer) (err error) {
			lost, err = sources.Export(f.As, run, w)
			return err
		})
		if err != nil {
			return cli.Failed(err)
		}
		if len(lost) > 0 {
			about, _ := sources.Named(f.As)
			term.Warn(errs, "%s has no place for %s; in general it lacks: %s", f.As, strings.Join(lost, ", "), about.Lost)
		}
	}
	return f.draw(run)
}
