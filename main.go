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
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/policies"
)

// Exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitMissed      = 3  // a claim misses its tolerance
	exitTerminated  = 75 // a sweep was told to end; the same command goes on with it
	exitInterrupted = 130
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
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
	fmt.Fprintln(stderr, screenOf(stderr).paint(red, "marigram:"), err)
	return exitCode(err)
}

// printed keeps the first error of what a command prints: not all look at it.
type printed struct {
	io.Writer
	err error
}

func (p *printed) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if p.err == nil {
		p.err = err
	}
	return n, err
}

// heeds is the annotation of commands that a signal does not end at once: they
// look at their context, and leave nothing half done.
const heeds = "heeds signals"

// heedful annotates a command.
func heedful(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{heeds: "yes"}
	return cmd
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

// resumable is the error of work that was interrupted and that the same command
// goes on with.
type resumable struct{ error }

// missed is the error of claims that do not hold.
type missed struct{ error }

// failure is an error that is no fault of the command line or of its input.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// partial is an error after which a part of what was asked for is done and stays.
type partial struct {
	error
	kept []string
}

func (p partial) Unwrap() error { return p.error }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
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

// group gives a command sub-commands: alone it prints its help, and an unknown
// one is an error that names the nearest.
func group(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subs...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, sub := range subs {
			names = append(names, sub.Name())
		}
		err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
		if near := experiments.Nearest(args[0], names); near != "" {
			err = fmt.Errorf("%w\ndid you mean %q?", err, near)
		}
		return err
	}
	return cmd
}

// version names the module's version and commit as the build recorded them.
func version() string {
	v, commit := buildVersion()
	return v + " (" + commit + ")"
}

func buildVersion() (version, commit string) {
	version, commit = "development", "unknown commit"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	return version, commit + dirty
}

// completePolicies completes names of policies with their descriptions.
func completePolicies(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, p := range policies.List() {
		out = append(out, cobra.CompletionWithDesc(p.Name, p.Doc))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
