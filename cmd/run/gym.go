package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/gym"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
)

type gymFlags struct {
	Objective string        `flag:"objective" help:"the objective of this <label>, instead of the first"`
	Set       []string      `flag:"set,s" help:"value of a parameter, <path=value>, instead of that of the spec"`
	Step      time.Duration `flag:"step" default:"10m" help:"time between two actions"`
	Events    bool          `flag:"events" help:"an action also when instances are granted, ready, under notice or gone"`
	LateUSD   float64       `flag:"late-usd" default:"100" help:"what the reward loses where the objective is not met"`
	LatePerH  float64       `flag:"late-usd-per-h" help:"and for each hour after the deadline"`
	Starts    string        `flag:"starts" default:"all" names:"all,train,judge" help:"the part of recorded traces from which the starts of episodes are drawn: {names}"`
	Slots     *int          `flag:"slots" min:"1" max:"4096" help:"of many jobs: how many are observed and chosen for, the first that are there; 16 if absent"`
	JobPerH   *float64      `flag:"job-usd-per-h" min:"0" help:"of many jobs: what the reward loses for each hour until a job is done; 1 if absent"`
}

// Gym returns the command marigram gym: runs, step by step, for programs that learn.
func Gym() *cobra.Command {
	var f gymFlags
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "gym SPEC",
		Short: "Runs as environments for programs that learn a policy",
		Long: `Serves the runs of a spec step by step, on the standard input and output: marigram.Env and
marigram.VectorEnv of marigram.py start it, with the interface of Gymnasium. An action is how many
instances to hold in each pool, the reward minus the dollars that a step costs. Of many jobs it is on
which GPUs each job of a slot is to run, and the reward loses for the time until jobs are done, too.
In recorded traces an episode begins at an instant that its seed draws: in all of them or in a part.
docs/gym.md says what observations are, and describes the messages.

The policies of the spec are not used.`,
		Example: `  marigram gym quickstart --objective loss-0.54-in-6h
  marigram gym cluster-gavel --slots 32 --step 6m
  marigram gym recorded --starts train
  marigram gym my.yaml --step 5m --late-usd 50 -s market.replay.notice_s=30`,
	}, f.run), &f)
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
	rules.Slots = stats.Or(f.Slots, 0)
	if !s.Workload().HasObjectives() {
		rules.JobUSDPerHour = 1
	}
	rules.JobUSDPerHour = stats.Or(f.JobPerH, rules.JobUSDPerHour)
	if rules.Objective, err = f.choose(s); err != nil {
		return err
	}
	rules.Part = s.Starts.Part
	if cmd.Flags().Changed("starts") {
		rules.Part = strings.TrimPrefix(f.Starts, "all")
	}
	study, err := gym.Open(s)
	if err != nil {
		return err
	}
	environments, err := gym.New(study, rules)
	if err != nil {
		return err
	}
	term.WarnAll(cmd.ErrOrStderr(), study.Warnings)
	return cli.Failed(environments.Serve(cmd.InOrStdin(), cmd.OutOrStdout()))
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
	return 0, fmt.Errorf("--objective %s, expected one of %s", f.Objective, strings.Join(names, ", "))
}
