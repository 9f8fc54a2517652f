package run

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/units"
)

type validateFlags struct {
	Prove bool `flag:"prove" help:"also work out with how many seeds no policy can meet the objective, by the bound of marigram bound"`
	cli.Starts
	cli.Commands
}

// Validate returns the command that checks a spec.
func Validate() *cobra.Command {
	var f validateFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "validate SPEC",
		Short: "Check a spec, its model and its traces without running it",
		Example: `  marigram validate my.yaml
  marigram validate my.yaml --prove
  marigram validate mine.yaml --allow-commands`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := spec.Reading{Commands: f.Allow}.Open(args[0])
			if err != nil {
				return err
			}
			if f.Every > 0 && !f.Prove {
				return fmt.Errorf("--every is for --prove")
			}
			study, err := experiments.NewStudy(s)
			if err != nil {
				return err
			}
			if err := study.CheckStarts(); err != nil {
				return err
			}
			if err := experiments.CheckAssumptions(s, experiments.NewStudy); err != nil {
				return err
			}
			points := units.Count(s.Seeds, "seed", "seeds")
			if s.Starts != (spec.Starts{}) {
				points = units.Count(len(study.Starts), "start", "starts") + " x " + points
			}
			objectives := units.Count(len(s.Objectives), "objective", "objectives")
			policies := units.Count(len(s.Policies), "policy", "policies")
			runs := units.Count(study.Runs(), "run", "runs")
			fmt.Fprintf(cmd.OutOrStdout(), "%s: valid: %s x %s x %s = %s on the market %s\n",
				args[0], objectives, policies, points, runs, study.Markets.Name)
			for _, name := range s.Commands() {
				term.Warn(cmd.ErrOrStderr(), "the settings of %s are not checked, since it is a command: "+
					"--allow-commands starts it, which asks it for them", name)
			}
			for _, text := range study.TooSmall() {
				term.Fault(cmd.ErrOrStderr(), "%s", text)
			}
			term.WarnAll(cmd.ErrOrStderr(), study.Warnings)
			if f.Prove {
				return printProofs(cmd, s, &f.Starts)
			}
			return nil
		},
	}, &f)
}

// printProofs says with how many seeds, or from how many starts, no policy can meet each objective.
func printProofs(cmd *cobra.Command, s *spec.Spec, starts *cli.Starts) error {
	_, rows, err := starts.Bounds(cmd.Context(), s, false)
	if err != nil {
		return err
	}
	points := len(rows) / len(s.Objectives)
	for o := range s.Objectives {
		if s.Objectives[o].Kind().ByWork {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: a budget can always be kept\n", s.Objectives[o].Name)
			continue
		}
		never := starts.Never(rows[o*points:(o+1)*points], s.Seeds)
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", s.Objectives[o].Name, never)
	}
	return nil
}
