// Package info is the commands of marigram that simulate nothing: policies, validate,
// schema and man.
package info

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/policies"
)

// Policies returns the command that lists the policies.
func Policies() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "policies",
		Short:   "List the policies with their settings, defaults and sources",
		Example: "  marigram policies --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), policyInfos())
			}
			out := cmd.OutOrStdout()
			for _, p := range policyInfos() {
				fmt.Fprintf(out, "%s: %s\n  source: %s\n  needs: %s\n", p.Name, p.Doc, p.Source, p.Needs)
				for _, s := range p.Settings {
					fmt.Fprintf(out, "  %s = %v (%s): %s\n", s.Name, s.Default, s.expected, s.Doc)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.AddCommand(newPolicy(), checkPolicy())
	return cmd
}

type policyInfo struct {
	Name     string        `json:"name"`
	Doc      string        `json:"doc"`
	Source   string        `json:"source"`
	Needs    string        `json:"needs"`
	Settings []settingInfo `json:"settings"`
}

type settingInfo struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default any      `json:"default"`       // a number, true or false, or a name
	Min     *float64 `json:"min,omitempty"` // of a number
	Max     *float64 `json:"max,omitempty"`
	Names   []string `json:"names,omitempty"` // that it can be

	expected string
}

func policyInfos() []policyInfo {
	var out []policyInfo
	for _, p := range append(policies.List(), policies.SafeForm()) {
		info := policyInfo{Name: p.Name, Doc: p.Doc, Source: p.Source, Needs: p.Needs.String(), Settings: []settingInfo{}}
		for _, s := range policies.Settings(p.Defaults()) {
			x := settingInfo{Name: s.Name, Doc: s.Doc, Default: s.Value, Names: s.Names, expected: s.Expected()}
			if _, number := s.Value.(float64); number {
				x.Min, x.Max = &s.Min, &s.Max
			}
			info.Settings = append(info.Settings, x)
		}
		out = append(out, info)
	}
	return out
}

// Validate returns the command that checks a spec.
func Validate() *cobra.Command {
	var prove bool
	var starts cli.Starts
	cmd := &cobra.Command{
		Use:     "validate SPEC",
		Short:   "Check a spec, its model and its histories without running it",
		Example: "  marigram validate my.yaml\n  marigram validate my.yaml --prove",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := spec.Open(args[0])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("every") && !prove {
				return fmt.Errorf("--every is for --prove")
			}
			study, err := experiments.NewStudy(s)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: valid: %s x %s x %s = %s on the market %s\n", args[0],
				cli.Count(len(s.Objectives), "objective", "objectives"), cli.Count(len(s.Policies), "policy", "policies"),
				cli.Count(s.Seeds, "seed", "seeds"), cli.Count(study.Runs(), "run", "runs"), study.Markets.Name)
			for _, w := range study.Warnings {
				term.Warn(cmd.ErrOrStderr(), "%s", w)
			}
			if prove {
				return printProofs(cmd, s, &starts)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&prove, "prove", false, "also work out with how many seeds no policy can meet the objective, by the bound of marigram bound")
	starts.Add(cmd)
	return cmd
}

// printProofs says with how many seeds, or from how many starts, no policy can meet each objective.
func printProofs(cmd *cobra.Command, s *spec.Spec, starts *cli.Starts) error {
	_, rows, err := starts.Bounds(cmd.Context(), s, false)
	if err != nil {
		return err
	}
	points := len(rows) / len(s.Objectives)
	for o := range s.Objectives {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", s.Objectives[o].Name, starts.Never(rows[o*points:(o+1)*points], s.Seeds))
	}
	return nil
}

// Schema returns the command that prints the JSON Schema of specs.
func Schema() *cobra.Command {
	var sweeps, states, advices bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs, sweeps, states or advice",
		Example: `  marigram schema > spec.schema.json             # then: # yaml-language-server: $schema=spec.schema.json
  marigram schema --sweep > sweep.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema := spec.Schema
			switch {
			case sweeps:
				schema = sweep.Schema
			case states:
				schema = advise.StateSchema
			case advices:
				schema = advise.AdviceSchema
			}
			_, err := cmd.OutOrStdout().Write(schema())
			return cli.Failed(err)
		},
	}
	cmd.Flags().BoolVar(&sweeps, "sweep", false, "print the schema of sweeps instead")
	cmd.Flags().BoolVar(&states, "state", false, "print the schema of the states that advise reads instead")
	cmd.Flags().BoolVar(&advices, "advice", false, "print the schema of what advise --json prints instead")
	cmd.MarkFlagsMutuallyExclusive("sweep", "state", "advice")
	return cmd
}

// Man returns the command that writes the manual pages.
func Man() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into a folder",
		Example: "  marigram man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckFolder("DIR", args[0]); err != nil {
				return err
			}
			if err := cli.CheckInto(nil, args[0], "marigram*.1"); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			_, err := atomicfile.Files(args[0], nil, func(dir string) ([]string, error) {
				if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "marigram", Manual: "marigram"},
					dir); err != nil {
					return nil, err
				}
				return fileNames(dir)
			})
			return cli.Failed(err)
		},
	}
}

// fileNames returns the names of what is in a folder.
func fileNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
