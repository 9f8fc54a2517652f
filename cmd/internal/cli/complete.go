package cli

import (
	"io"

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
