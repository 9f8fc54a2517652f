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
		if !isInterruptible(cmd) {
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
		return interrupted(ctx, stderr, err)
	}
	complain(stderr, err)
	return exitCode(err)
}

// interrupted says what an interrupt left, and returns the exit code.
func interrupted(ctx context.Context, stderr io.Writer, err error) int {
	if isResumable(err) {
		fmt.Fprintln(stderr, "marigram:", err)
		if context.Cause(ctx) == errTerminated {
			return exitTerminated
		}
		return exitInterrupted
	}
	left := "nothing was written"
	if done := kept(err); done != nil {
		left = "kept: " + strings.Join(done, ", ")
	}
	fmt.Fprintln(stderr, "marigram: interrupted;", left)
	return exitInterrupted
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
