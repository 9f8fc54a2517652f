package cli

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/forecast"
)

// CompleteFlag lets the shell complete the value of a flag with one of these.
func CompleteFlag(cmd *cobra.Command, flag string, values []string) {
	Must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// CompletePolicies completes names of policies with their descriptions.
func CompletePolicies(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, p := range policies.List() {
		out = append(out, cobra.CompletionWithDesc(p.Name, p.Doc))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// CompleteSpecs completes names of specs that come with marigram, and of files.
func CompleteSpecs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return spec.Builtin(), cobra.ShellCompDirectiveDefault
}

// CompleteForecasters completes names of forecasters with their descriptions.
func CompleteForecasters(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, info := range forecast.List() {
		out = append(out, cobra.CompletionWithDesc(info.Name, info.Doc))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
