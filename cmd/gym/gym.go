// Package gym is the command marigram gym: runs, step by step, for programs that learn.
package gym

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/gym"
	"github.com/marigram/marigram/experiments/spec"
)

type flags struct {
	objective string
	set       []string
	rules     gym.Rules
}

// Command returns the command.
func Command() *cobra.Command {
	f := flags{rules: gym.Rules{Step: 10 * time.Minute, LateUSD: 100}}
	cmd := &cobra.Command{
		Use:   "gym SPEC",
		Short: "Runs as environments for programs that learn a policy",
		Long: `Serves the runs of a spec step by step, on the standard input and output: marigram.Env and
marigram.VectorEnv of marigram.py start it, with the interface of Gymnasium. An action is how many
instances to hold in each pool, the reward minus the dollars that a step costs. docs/gym.md says
what observations are, and describes the messages.

The policies of the spec are not used. It has to be of one job.`,
		Example:           "  marigram gym quickstart --objective loss-0.54-in-6h\n  marigram gym my.yaml --step 5m --late-usd 50 -s market.replay.notice_s=30",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	set := cmd.Flags()
	set.StringVar(&f.objective, "objective", "", "the objective of this `label`, instead of the first")
	set.StringArrayVarP(&f.set, "set", "s", nil, "value of a parameter, `path=value`, instead of that of the spec")
	set.DurationVar(&f.rules.Step, "step", f.rules.Step, "time between two actions")
	set.BoolVar(&f.rules.Events, "events", false, "an action also when instances are granted, ready, under notice or gone")
	set.Float64Var(&f.rules.LateUSD, "late-usd", f.rules.LateUSD, "what the reward loses where the objective is not met")
	set.Float64Var(&f.rules.LateUSDPerHour, "late-usd-per-h", 0, "and for each hour after the deadline")
	return cmd
}

func (f *flags) run(cmd *cobra.Command, name string) error {
	var settings []spec.Setting
	for _, text := range f.set {
		x, err := spec.ParseSetting(text)
		if err != nil {
			return fmt.Errorf("--set %w", err)
		}
		settings = append(settings, x)
	}
	s, err := spec.Open(name, settings...)
	if err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	if f.rules.Objective, err = f.choose(s); err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	g, err := gym.New(study, f.rules)
	if err != nil {
		return err
	}
	for _, text := range study.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", text)
	}
	return cli.Failed(g.Serve(cmd.InOrStdin(), cmd.OutOrStdout()))
}

// choose returns the number of the objective that is asked for.
func (f *flags) choose(s *spec.Spec) (int, error) {
	var names []string
	for i, o := range s.Objectives {
		if f.objective == "" || o.Name == f.objective {
			return i, nil
		}
		names = append(names, o.Name)
	}
	if len(names) == 0 { // many jobs, which are refused
		return 0, nil
	}
	return 0, fmt.Errorf("--objective %s, expected one of %s", f.objective, strings.Join(names, ", "))
}
