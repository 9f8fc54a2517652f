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

// repeatedError is an error with a command line that does again what failed.
type repeatedError struct {
	error
	line string
}

func (e *repeatedError) Error() string { return e.error.Error() + "\nrepeat it with: " + e.line }

// Unwrap returns the error.
func (e *repeatedError) Unwrap() error { return e.error }

// repeated adds a command line to the error of a run that is below its bound (results.BelowBound), which line returns: one
// that does the run again. Other errors, and one that has such a line, stay as they are.
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
		for _, v := range values {
			if line = append(line, "--"+f.Name); f.Value.Type() != "bool" {
				line = append(line, v)
			}
		}
	})
	return line
}

// Repeated returns the error of a row of a folder. Where it is that of a run below its bound it says how to do that run
// again.
func Repeated(dir string, err error) error {
	return repeated(err, func(x *results.BelowBound) string {
		_, p, wrong := results.ReadRuns(dir)
		if wrong != nil || IsSweep(dir) {
			return units.Command([]string{"marigram", "explain", dir, "--run", strconv.FormatInt(x.Run, 10), "--at", "0:00"})
		}
		return RepeatLine(p.CommandLine, x)
	})
}
