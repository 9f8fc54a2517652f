package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
)

// Exit codes.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitMissed      = 3  // a claim misses its tolerance
	ExitAtRisk      = 4  // an objective is at risk
	ExitUnmet       = 5  // an objective falls short of what is required of it
	ExitTerminated  = 75 // a sweep was told to end; the same command goes on with it
	ExitInterrupted = 130
)

// ExitCode returns the code that a program ends with after an error: of the command
// line or its input, unless Failed, Missed, AtRisk or Unmet says otherwise, or it is a defect of
// the program (results.BelowBound).
func ExitCode(err error) int {
	switch {
	case errors.As(err, new(failureError)), errors.As(err, new(*results.BelowBound)):
		return ExitFailed
	case errors.As(err, new(missedError)):
		return ExitMissed
	case errors.As(err, new(riskError)):
		return ExitAtRisk
	case errors.As(err, new(unmetError)):
		return ExitUnmet
	}
	return ExitUsage
}

type (
	failureError   struct{ error }
	missedError    struct{ error }
	riskError      struct{ error }
	unmetError     struct{ error }
	resumableError struct{ error }
	partialError   struct {
		error
		kept []string
	}
)

// Unwrap returns the error.
func (e failureError) Unwrap() error { return e.error }

// Unwrap returns the error.
func (e partialError) Unwrap() error { return e.error }

// Failed makes an error one that is no fault of the command line or of its input;
// nil stays nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return failureError{err}
}

// Missed makes an error that of claims that do not hold.
func Missed(err error) error { return missedError{err} }

// AtRisk makes an error that of an objective that is at risk.
func AtRisk(err error) error { return riskError{err} }

// Unmet makes an error that of an objective that falls short of what is required of it.
func Unmet(err error) error { return unmetError{err} }

// Resumable makes an error that of work that was interrupted and that the same
// command goes on with.
func Resumable(err error) error { return resumableError{err} }

// IsResumable reports whether the same command goes on with what was interrupted.
func IsResumable(err error) bool { return errors.As(err, new(resumableError)) }

// Partial makes an error one after which a part of what was asked for is done and
// stays.
func Partial(err error, done []string) error { return partialError{err, done} }

// Kept returns what is done of what was asked for, nil if that is nothing.
func Kept(err error) []string {
	var part partialError
	errors.As(err, &part)
	return part.kept
}

// repeatedError is an error with a command line that does again what failed.
type repeatedError struct {
	error
	line string
}

func (e *repeatedError) Error() string { return e.error.Error() + "\nrepeat it with: " + e.line }

// Unwrap returns the error.
func (e *repeatedError) Unwrap() error { return e.error }

// repeated adds a command line to the error of a run that is below its bound (results.BelowBound), which line
// returns: one that does the run again. Other errors, and one that has such a line, stay as they are.
func repeated(err error, line func(*results.BelowBound) string) error {
	var x *results.BelowBound
	if errors.As(err, &x) && !errors.As(err, new(*repeatedError)) {
		return &repeatedError{err, line(x)}
	}
	return err
}

// RepeatedBy is repeated with the command that failed, for the run's policy and seed alone.
func RepeatedBy(cmd *cobra.Command, err error) error {
	return repeated(err, func(x *results.BelowBound) string { return RepeatLine(lineOf(cmd), x) })
}

// RepeatLine returns a command line for the policy and the seed of a run only. Of a line with policies of one's own all
// policies stay; a line without seeds, of marigram judge or a sweep, stays as it is.
func RepeatLine(line []string, x *results.BelowBound) string {
	if !slices.Contains([]string{"run", "bound"}, line[min(1, len(line)-1)]) {
		return units.Command(line)
	}
	drop := []string{"--seed", "--seeds", "--out", "--trace"}
	own := slices.ContainsFunc(line, func(a string) bool { return strings.HasPrefix(a, "--policy-command") })
	if !own {
		drop = append(drop, "--policy")
	}
	var out []string
	for i := 0; i < len(line); i++ {
		if slices.Contains(drop, line[i]) {
			i++ // with its value
		} else {
			out = append(out, line[i])
		}
	}
	if !own {
		out = append(out, "--policy", x.Policy)
	}
	return units.Command(append(out, "--seed", strconv.FormatInt(x.Seed, 10), "--seeds", "1"))
}

// lineOf returns the command line that a command was called with, flags after arguments.
func lineOf(cmd *cobra.Command) []string {
	line := append(strings.Fields(cmd.CommandPath()), cmd.Flags().Args()...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, value := range values {
			line = append(line, "--"+f.Name)
			if f.Value.Type() != "bool" {
				line = append(line, value)
			}
		}
	})
	return line
}

// Repeated returns the error of a row of a folder. Where it is that of a run below its bound it says how to do that run
// again.
func Repeated(dir string, err error) error {
	return repeated(err, func(x *results.BelowBound) string {
		_, from, wrong := results.ReadRuns(dir)
		if wrong != nil || IsSweep(dir) {
			return units.Command([]string{"marigram", "explain", dir, "--run", strconv.FormatInt(x.Run, 10), "--at",
				"0:00"})
		}
		return RepeatLine(from.CommandLine, x)
	})
}
