// Package cmd is the command marigram: Main is all of it. Each of its commands is a
// package below this one.
//
// A program of another module that registers its own policies, formats or families
// of models, and then calls Main, is marigram with these: every command knows them.
package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/calibrate"
	"github.com/marigram/marigram/cmd/choose"
	"github.com/marigram/marigram/cmd/compare"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/cmd/ownruns"
	"github.com/marigram/marigram/cmd/plan"
	"github.com/marigram/marigram/cmd/plot"
	"github.com/marigram/marigram/cmd/policies"
	"github.com/marigram/marigram/cmd/report"
	"github.com/marigram/marigram/cmd/reproduce"
	"github.com/marigram/marigram/cmd/run"
	"github.com/marigram/marigram/cmd/sweep"
	"github.com/marigram/marigram/cmd/traces"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/internal/store"
	_ "github.com/marigram/marigram/papers/extensions" // policies that papers bring
)

// Main runs the command line of the program and ends it with the exit code: 0 done,
// 1 failed, 2 wrong usage or input, 3 a claim misses its tolerance, 4 an objective is at
// risk (advise), 5 an objective falls short of run --require, 75 a sweep was
// told to end (SIGTERM) and can go on, 130 interrupted.
func Main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs a command line and returns its exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	ctx, release, stop := untilSignal()
	defer stop()
	var resumable atomic.Bool
	ended := make(chan struct{})
	defer close(ended)
	defer context.AfterFunc(ctx, func() { endSoon(ctx, ended, stderr, &resumable) })()
	return executeUntil(ctx, release, &resumable, args, stdout, stderr)
}

// executeUntil runs a command line until ctx is over, and returns its exit code. It calls release where a signal is to
// end the command at once, and notes whether what is interrupted can be resumed.
func executeUntil(ctx context.Context, release func(), resumable *atomic.Bool, given []string, stdout,
	stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(given)
	out := &term.Output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if !cli.IsInterruptible(cmd) {
			release() // a signal ends it at once
		}
		if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && quiet {
			out.Quiet = true
			root.SetErr(io.Discard)
		}
		path := cmd.CommandPath()
		resumable.Store(strings.HasPrefix(path, "marigram sweep") || path == "marigram tune" &&
			cmd.Flags().Changed("out"))
		if err := checkAddresses(given); err != nil {
			return err
		}
		err := cli.CheckFlags(cmd)
		return cmp.Or(err, cli.CheckTargets(cmd, args))
	}
	cmd, err := root.ExecuteContextC(ctx)
	err = cli.RepeatedBy(cmd, err)
	switch {
	case err == nil && out.Err == nil:
		return 0
	case err == nil:
		err = cli.Failed(out.Err)
	case ctx.Err() != nil:
		return interrupted(ctx, stderr, err)
	}
	term.PrintError(stderr, err)
	return cli.ExitCode(err)
}

// checkAddresses refuses arguments that are meant to be paths in an object store and can be none (store.Check),
// before a command takes one for the name of something else and prints it with its password.
func checkAddresses(args []string) error {
	for _, arg := range args {
		if _, value, is := strings.Cut(arg, "="); is && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if scheme, _, is := strings.Cut(arg, ":"); !is || !store.IsRemote(strings.ToLower(scheme)+"://") {
			continue
		}
		if err := store.Check(arg); err != nil {
			return err
		}
	}
	return nil
}

// grace is how long an interrupted command may take to end on its own.
const grace = 900 * time.Millisecond

// endSoon ends the program if the command has not ended on its own: nobody waits for a command
// that is told to stop. Files appear whole or not at all, so that nothing is half done.
func endSoon(ctx context.Context, ended <-chan struct{}, stderr io.Writer, resumable *atomic.Bool) {
	select {
	case <-ended:
		return
	case <-time.After(grace):
	}
	atomicfile.RemoveTemporaries()
	if !resumable.Load() {
		fmt.Fprintln(stderr, "marigram: interrupted; what was not complete was not written")
		os.Exit(cli.ExitInterrupted)
	}
	fmt.Fprintln(stderr, "marigram: interrupted; complete chunks are kept; repeat the command to resume")
	if context.Cause(ctx) == errTerminated {
		os.Exit(cli.ExitTerminated)
	}
	os.Exit(cli.ExitInterrupted)
}

// interrupted says what an interrupt left, and returns the exit code.
func interrupted(ctx context.Context, stderr io.Writer, err error) int {
	if cli.IsResumable(err) {
		term.PrintError(stderr, err)
		if context.Cause(ctx) == errTerminated {
			return cli.ExitTerminated
		}
		return cli.ExitInterrupted
	}
	left := "nothing was written"
	if done := cli.Kept(err); done != nil {
		left = "kept: " + strings.Join(done, ", ")
	}
	fmt.Fprintln(stderr, "marigram: interrupted;", left)
	return cli.ExitInterrupted
}

var errTerminated = errors.New("stopped by SIGTERM")

// untilSignal returns a context that an interrupt or SIGTERM ends; a second one
// ends the program. The cause of SIGTERM is errTerminated. After release the first
// one ends the program; after stop the context is over as well.
func untilSignal() (ctx context.Context, release, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	release = func() { signal.Stop(signals) }
	stop = func() {
		release()
		cancel(nil)
	}
	go func() {
		select {
		case received := <-signals:
			signal.Stop(signals)
			var cause error
			if received == syscall.SIGTERM {
				cause = errTerminated
			}
			cancel(cause)
		case <-ctx.Done():
		}
	}()
	return ctx, release, stop
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "marigram",
		Short: "Simulate the training of neural networks on spot instances",
		Long: `marigram replays traces of spot prices and capacity and reports what a
training job costs, when it finishes and whether it meets its objective, under
the policies of your choice.

Exit status: 0 done, 1 failed, 2 wrong usage or input, 3 a claim misses its
tolerance, 4 an objective is at risk (advise), 5 an objective falls short of run --require,
75 a sweep or tune was stopped by SIGTERM and can be resumed, 130 interrupted.

Tables mark the best value of a column with an asterisk. On a terminal they have
colours (unless NO_COLOR is set), and columns that do not fit its width (or COLUMNS)
are printed below. In a pipe there are no colours, and tables are not wrapped.`,
		Example: `  marigram run quickstart --out out
  marigram run my.yaml --policy reactive,spotdnn --seed 7
  marigram plan start regions
  marigram traces stats prices.json`,
		Version:       cli.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var moving plot.Drawing
	moving.Command, moving.Draw = reproduce.Moving()
	root.PersistentFlags().BoolP("quiet", "q", false, "no warnings, hints and progress")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd.HasSubCommands() { // the flag may be of a command that is not there
			if unknown := cmd.ValidateArgs(cmd.Flags().Args()); unknown != nil {
				return unknown
			}
		}
		return fmt.Errorf("%s%s\nsee %s --help", cli.FlagError(err), cli.NearFlag(cmd, err), cmd.CommandPath())
	})
	return cli.NameArguments(cli.Group(root,
		cli.Interruptible(run.Command()), report.Command(), report.Explain(), cli.Interruptible(sweep.Command()),
		compare.Command(), cli.Interruptible(sweep.Tune()), cli.Interruptible(run.Bound()),
		cli.Interruptible(plan.Advise()),
		cli.Interruptible(policies.Judge()), cli.Interruptible(ownruns.Backtest()), plot.Command(moving),
		plan.Command(), calibrate.Command(), cli.Interruptible(reproduce.Command()), run.Validate(), run.Init(),
		cli.Interruptible(choose.Command()),
		schemaCommand(),
		traces.Command(), ownruns.Observe(),
		run.Gym(), policies.Command(), versionCommand(), manCommand()))
}
