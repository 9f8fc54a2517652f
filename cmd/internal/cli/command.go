// Package cli is what the commands share: errors and the exit codes that they mean,
// groups of commands, completion, inputs, numbers as text.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
)

// Group gives a command sub-commands: alone it prints its help, and an unknown
// one is an error that names the nearest.
func Group(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
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
		path := strings.TrimPrefix(cmd.CommandPath()+" "+args[0], cmd.Root().Name()+" ")
		if sentence := gone.Instead("command", path); sentence != "" {
			return errors.New(sentence)
		}
		return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(),
			registry.DidYouMean("\n", args[0], names))
	}
	return cmd
}

// ownSignals is the annotation of commands that a signal does not end at once.
const ownSignals = "ends by its context"

// Interruptible marks a command that a signal does not end at once: it looks at its
// context, and leaves nothing half done.
func Interruptible(cmd *cobra.Command) *cobra.Command {
	return annotate(cmd, ownSignals, "yes")
}

func annotate(cmd *cobra.Command, key, value string) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
	return cmd
}

// IsInterruptible reports whether a command is marked so.
func IsInterruptible(cmd *cobra.Command) bool { return cmd.Annotations[ownSignals] != "" }

// NameArguments has a command and those below it name the arguments that they expect where
// their number is wrong.
func NameArguments(cmd *cobra.Command) *cobra.Command {
	for _, sub := range cmd.Commands() {
		NameArguments(sub)
	}
	if check := cmd.Args; check != nil && !cmd.HasSubCommands() {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err != nil && (strings.HasPrefix(err.Error(), "accepts ") ||
				strings.HasPrefix(err.Error(), "requires ")) {
				return fmt.Errorf("%s, expected %s", units.Count(len(args), "argument", "arguments"), cmd.UseLine())
			}
			return err
		}
	}
	return cmd
}

// FlagError is what is wrong with a flag, without the name of the function that found it.
func FlagError(err error) string {
	text, inner, ok := strings.Cut(err.Error(), "strconv.")
	if !ok {
		return text
	}
	return text + inner[strings.LastIndex(inner, ": ")+2:]
}

// NearFlag returns a hint at the flag that an unknown one may have meant.
func NearFlag(cmd *cobra.Command, err error) string {
	_, name, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	if sentence := gone.Instead("flag", name); sentence != "" {
		return "\n" + sentence
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := registry.Nearest(name, known); near != "" {
		return fmt.Sprintf("\ndid you mean --%s?", near)
	}
	return ""
}

var (
	_ = NameList("policies", func() (out []Name) {
		for _, p := range policies.List() {
			out = append(out, Name{Name: p.Name, Doc: p.Doc})
		}
		return out
	})
)

// CompleteSpecs completes names of specs that come with marigram, and of files.
func CompleteSpecs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return spec.Builtin(), cobra.ShellCompDirectiveDefault
}

// OfSpec has a command run on its one argument, a spec, whose name a shell completes.
func OfSpec(cmd *cobra.Command, run func(cmd *cobra.Command, name string) error) *cobra.Command {
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = CompleteSpecs
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, args[0]) }
	return cmd
}

// Answer is the flag of commands that answer in words, or as JSON.
type Answer struct {
	JSON bool `flag:"json" help:"print JSON"`
}

// Give prints an answer: its value as JSON if that is asked for, or else its text. Errors of writing are kept by the
// output.
func (a *Answer) Give(cmd *cobra.Command, value any, text func(io.Writer)) error {
	if a.JSON {
		return WriteJSON(cmd.OutOrStdout(), value)
	}
	text(cmd.OutOrStdout())
	return nil
}
