package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/forecast"
)

var (
	_ = NameList("policies", func() (out []Name) {
		for _, p := range policies.List() {
			out = append(out, Name{Name: p.Name, Doc: p.Doc})
		}
		return out
	})
	_ = NameList("forecasters", func() (out []Name) {
		for _, f := range forecast.List() {
			out = append(out, Name{Name: f.Name, Doc: f.Doc})
		}
		return out
	})
)

// ForecastersHelp lists the forecasters for a help text.
func ForecastersHelp() string {
	return NamesHelp("Forecasters", "forecasters") + "  arima-P-D-Q[-drift]  ARIMA(P,D,Q) with P and Q up to 3, D up to 2\n"
}

// CompleteSpecs completes names of specs that come with marigram, and of files.
func CompleteSpecs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return spec.Builtin(), cobra.ShellCompDirectiveDefault
}

// settings completes a flag --set: settings of the policies of the spec that the command is about, and what they take. Commands
// of a spec are not started for that.
func settings(_ *cobra.Command, args []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	if len(args) == 0 {
		return nil, directive
	}
	s, err := spec.Open(args[0])
	if err != nil {
		return nil, directive
	}
	path, _, valued := strings.Cut(begun, "=")
	seen := map[string]bool{}
	for i := range s.Policies {
		policy, err := s.Policies[i].New()
		if err != nil {
			continue
		}
		for _, x := range policies.Settings(policy) {
			name := "policy." + x.Name
			if seen[name] || valued && name != path {
				continue
			}
			seen[name] = true
			if _, is := x.Value.(bool); is && valued {
				x.Names = []string{"true", "false"}
			}
			switch {
			case !valued:
				out = append(out, cobra.CompletionWithDesc(name+"=", fmt.Sprintf("%s (%s, now %v)", x.Doc, x.Expected(), x.Value)))
			default:
				for _, value := range x.Names {
					out = append(out, name+"="+value)
				}
			}
		}
	}
	return out, directive
}

// Answer is the flag of commands that answer in words, or as JSON.
type Answer struct {
	JSON bool `flag:"json" help:"print JSON"`
}

// Give prints an answer: its value as JSON if that is asked for, or else its text. Errors of writing are kept by the output.
func (a *Answer) Give(cmd *cobra.Command, value any, text func(io.Writer)) error {
	if a.JSON {
		return WriteJSON(cmd.OutOrStdout(), value)
	}
	text(cmd.OutOrStdout())
	return nil
}
