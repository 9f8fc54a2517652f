package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/gym"
	"github.com/marigram/marigram/experiments/spec"
)

type gymFlags struct {
	Objective string        `flag:"objective" help:"the objective of this <label>, instead of the first"`
	Set       []string      `flag:"set,s" help:"value of a parameter, <path=value>, instead of that of the spec"`
	Step      time.Duration `flag:"step" default:"10m" help:"time between two actions"`
	Events    bool          `flag:"events" help:"an action also when instances are granted, ready, under notice or gone"`
	LateUSD   float64       `flag:"late-usd" default:"100" help:"what the reward loses where the objective is not met"`
	LatePerH  float64       `flag:"late-usd-per-h" help:"and for each hour after the deadline"`
}

// Gym returns the command marigram gym: runs, step by step, for programs that learn.
func Gym() *cobra.Command {
	var f gymFlags
	return flags.On(&cobra.Command{
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
	}, &f)
}

func (f *gymFlags) run(cmd *cobra.Command, name string) error {
	settings, err := cli.Settings(f.Set)
	if err != nil {
		return err
	}
	s, err := spec.Open(name, settings...)
	if err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	rules := gym.Rules{Step: f.Step, Events: f.Events, LateUSD: f.LateUSD, LateUSDPerHour: f.LatePerH}
	if rules.Objective, err = f.choose(s); err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	g, err := gym.New(study, rules)
	if err != nil {
		return err
	}
	for _, text := range study.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", text)
	}
	return cli.Failed(g.Serve(cmd.InOrStdin(), cmd.OutOrStdout()))
}

// choose returns the number of the objective that is asked for.
func (f *gymFlags) choose(s *spec.Spec) (int, error) {
	var names []string
	for i, o := range s.Objectives {
		if f.Objective == "" || o.Name == f.Objective {
			return i, nil
		}
		names = append(names, o.Name)
	}
	if len(names) == 0 { // many jobs, which are refused
		return 0, nil
	}
	return 0, fmt.Errorf("--objective %s, expected one of %s", f.Objective, strings.Join(names, ", "))
}
