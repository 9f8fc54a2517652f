// Package advise is the command marigram advise: what a policy would do now.
package advise

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/experiments/spec"
)

type flags struct {
	cli.SpecFlags
	state         string
	continuations int
	share         float64
	json          bool
	check         int
	warmUp        float64
	last          time.Duration
}

// Command returns the command.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "advise SPEC --state FILE",
		Short: "What a policy would do now, from a live state",
		Long: `Takes the state of a job that runs (what is held, how far the training is) and the
histories of the spec until now, and prints what the spec's first policy would do now and why,
what that is expected to cost, when to end, and with what probability it meets the objective;
beside it the same for the spec's other policies, and for on demand from now. It changes
nothing and contacts no cloud.

The figures are of many continuations from here, each on blocks of the past put together
anew, the same for all policies: markets unlike the past are not among them. Nothing after now
is read from the histories. The same state, spec, seed and version give the same bytes.

The exit status is 4 if the objective is at risk: met in a smaller share of the continuations
than --share. docs/advise.md describes the state and a loop with the AWS CLI.

--check 10 tells how far such figures can be believed on the spec's histories: it runs the
policy, takes the state at instants of the runs, and counts how often its intervals contain what the
run then gave.`,
		Example: `  marigram advise my.yaml --state now.yaml
  marigram advise my.yaml --state now.yaml --policy spotdnn-safe,reactive --json
  marigram advise recorded.yaml --policy spotdnn-safe --check 10`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.Add(cmd)
	own := cmd.Flags()
	own.StringVar(&f.state, "state", "", "the state: a YAML or JSON `file`, - for standard input")
	own.IntVar(&f.continuations, "continuations", advise.DefaultContinuations, "number of continuations of each policy that are simulated")
	own.Float64Var(&f.share, "share", 0, "share of the continuations in which the objective has to be met, else it is at risk; "+
		"if absent the objective's share in the spec, or 0.9")
	own.BoolVar(&f.json, "json", false, "print JSON instead of the tables (its schema: marigram schema --advice)")
	own.DurationVar(&f.last, "last", 0, "make continuations of only so much of the histories, up to now, with its unit: 240h")
	own.IntVar(&f.check, "check", 0, "instead of a state: check the intervals at so many instants of runs on the histories")
	own.Float64Var(&f.warmUp, "check-after", 0.25, "share of the histories before the first run of --check begins")
	return cmd
}

func (f *flags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	switch {
	case f.continuations < 1 || f.continuations > 100_000:
		return fmt.Errorf("--continuations %d, expected 1 to 100000", f.continuations)
	case cmd.Flags().Changed("share") && !(f.share > 0 && f.share <= 1):
		return fmt.Errorf("--share %v, expected above 0 to 1", f.share)
	case cmd.Flags().Changed("last") && f.last < time.Minute:
		return fmt.Errorf("--last %v, expected at least 1m", f.last)
	case cmd.Flags().Changed("last") && s.Market.Synthetic != nil:
		return fmt.Errorf("--last has no effect: the market is synthetic")
	case cmd.Flags().Changed("seeds"):
		return fmt.Errorf("--seeds has no effect: a state is of one run (--seed sets its random numbers)")
	case cmd.Flags().Changed("check"):
		return f.runCheck(cmd, s)
	case f.state == "":
		return fmt.Errorf("--state is missing, expected a file that says what is held and how far the training is (docs/advise.md)")
	case cmd.Flags().Changed("check-after"):
		return fmt.Errorf("--check-after has no effect without --check")
	}
	state, err := advise.Open(f.state)
	if err != nil {
		return err
	}
	s.Seeds = 1
	advise.AddOnDemand(s)
	a, err := advise.Advise(cmd.Context(), s, state, advise.Options{Continuations: f.continuations, Share: f.share, Last: f.last})
	if err != nil {
		return err
	}
	for _, w := range a.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", w)
	}
	if f.json {
		err = cli.WriteJSON(cmd.OutOrStdout(), a)
	} else {
		err = cli.Failed(print(cmd.OutOrStdout(), a))
	}
	if err == nil && a.AtRisk {
		err = cli.AtRisk(fmt.Errorf("the objective %s is at risk: %s meets it in %s of the continuations, and %s is asked for",
			a.Objective, a.Plan.Policy, percent(a.Policies[0].Met), percent(a.Share)))
	}
	return err
}

// runCheck checks the intervals on the spec's histories.
func (f *flags) runCheck(cmd *cobra.Command, s *spec.Spec) error {
	switch {
	case f.state != "":
		return fmt.Errorf("--state and --check, expected one of them")
	case f.check < 1 || f.check > 10_000:
		return fmt.Errorf("--check %d, expected 1 to 10000 instants", f.check)
	case !(f.warmUp >= 0.01 && f.warmUp <= 0.9):
		return fmt.Errorf("--check-after %v, expected 0.01 to 0.9", f.warmUp)
	case cmd.Flags().Changed("share"):
		return fmt.Errorf("--share has no effect with --check")
	}
	s.Seeds = 1
	c, err := advise.CheckIntervals(cmd.Context(), s, f.check, f.warmUp, advise.Options{Continuations: f.continuations, Last: f.last})
	if err != nil {
		return err
	}
	for _, w := range c.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", w)
	}
	if f.json {
		return cli.WriteJSON(cmd.OutOrStdout(), c)
	}
	return cli.Failed(printCheck(cmd.OutOrStdout(), c))
}
