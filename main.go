// Command marigram simulates the training of neural networks on cloud capacity
// that comes and goes: what it costs, when it finishes, and whether it meets its
// objective, under policies of one's choice.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitMissed      = 3  // a claim misses its tolerance
	exitTerminated  = 75 // a sweep was told to end; the same command goes on with it
	exitInterrupted = 130
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs a command line and returns its exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	ctx, release, stop := untilSignal()
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	out := &printed{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Annotations[heeds] == "" {
			release() // a signal ends it at once
		}
		return checkTargets(cmd, args)
	}
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil && out.err == nil:
		return 0
	case err == nil:
		err = failed(out.err)
	case ctx.Err() != nil:
		if on := (resumable{}); errors.As(err, &on) {
			fmt.Fprintln(stderr, "marigram:", err)
			if context.Cause(ctx) == errTerminated {
				return exitTerminated
			}
			return exitInterrupted
		}
		kept := "nothing was written"
		var part partial
		if errors.As(err, &part) {
			kept = "kept: " + strings.Join(part.kept, ", ")
		}
		fmt.Fprintln(stderr, "marigram: interrupted;", kept)
		return exitInterrupted
	}
	complain(stderr, err)
	return exitCode(err)
}

func exitCode(err error) int {
	var failed failure
	var missed missed
	switch {
	case errors.As(err, &failed):
		return exitFailed
	case errors.As(err, &missed):
		return exitMissed
	}
	return exitUsage
}

var errTerminated = errors.New("told to end")

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
		case s := <-signals:
			signal.Stop(signals)
			var cause error
			if s == syscall.SIGTERM {
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
		Long: `marigram replays histories of spot prices and capacity and says what a training
job costs, when it finishes and whether it meets its objective, under policies
of your choice.

Exit status: 0 done, 1 failed, 2 wrong usage or input, 3 a claim misses its
tolerance, 75 a sweep was told to end (SIGTERM) and can go on, 130 interrupted.

Tables mark the best of a column with an asterisk. On a terminal they have colours,
but not if NO_COLOR is set, and no more columns than it has (or COLUMNS says): what
does not fit is printed below. In a pipe nothing is coloured, cut or moved.`,
		Example: `  marigram run quickstart --out out
  marigram run my.yaml --policy reactive,spotdnn --seed 7
  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s --json
  marigram traces stats prices.json`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w%s\nsee %s --help", err, nearFlag(cmd, err), cmd.CommandPath())
	})
	return group(root, heedful(runCommand()), reportCommand(), explainCommand(), heedful(sweepCommand()), compareCommand(), plotCommand(), planCommand(), calibrateCommand(), heedful(reproduceCommand()), validateCommand(), schemaCommand(), tracesCommand(), forecastCommand(), policiesCommand(), manCommand())
}
