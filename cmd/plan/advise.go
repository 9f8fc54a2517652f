package plan

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/experiments/spec"
)

type adviseFlags struct {
	cli.SpecFlags
	State         string         `flag:"state" help:"the state: a YAML or JSON <file>, - for standard input"`
	Continuations int            `flag:"continuations" min:"1" max:"100000" help:"number of continuations of each policy that are simulated"`
	Share         *float64       `flag:"share" over:"0" max:"1" help:"share of the continuations in which the objective has to be met, else it is at risk; if absent the objective's share in the spec, or 0.9"`
	JSON          bool           `flag:"json" help:"print JSON instead of the tables (its schema: marigram schema --advice)"`
	Last          *time.Duration `flag:"last" min:"1m" help:"make continuations of only so much of the histories, up to now, with its unit: 240h"`
	Check         *int           `flag:"check" min:"1" max:"10000" help:"instead of a state: check the intervals at so many instants of runs on the histories"`
	WarmUp        float64        `flag:"check-after" default:"0.25" min:"0.01" max:"0.9" with:"check" help:"share of the histories before the first run of --check begins"`
}

// Advise returns the command marigram advise: what a policy would do now.
func Advise() *cobra.Command {
	f := adviseFlags{Continuations: advise.DefaultContinuations}
	return flags.On(&cobra.Command{
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
	}, &f)
}

func (f *adviseFlags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	opt := advise.Options{Continuations: f.Continuations}
	if f.Share != nil {
		opt.Share = *f.Share
	}
	if f.Last != nil {
		opt.Last = *f.Last
	}
	switch {
	case f.Last != nil && s.Market.Synthetic != nil:
		return fmt.Errorf("--last has no effect: the market is synthetic")
	case f.Seeds != nil:
		return fmt.Errorf("--seeds has no effect: a state is of one run (--seed sets its random numbers)")
	case f.Check != nil && f.State != "":
		return fmt.Errorf("--state and --check, expected one of them")
	case f.Check != nil && f.Share != nil:
		return fmt.Errorf("--share has no effect with --check")
	case f.Check == nil && f.State == "":
		return fmt.Errorf("--state is missing, expected a file that says what is held and how far the training is (docs/advise.md)")
	}
	s.Seeds = 1
	if f.Check != nil {
		return f.check(cmd, s, opt)
	}
	state, err := advise.Open(f.State)
	if err != nil {
		return err
	}
	advise.AddOnDemand(s)
	a, err := advise.Advise(cmd.Context(), s, state, opt)
	if err != nil {
		return err
	}
	if err = f.give(cmd, a.Warnings, a, func(w io.Writer) { printAdvice(w, a) }); err == nil && a.AtRisk {
		return cli.AtRisk(fmt.Errorf("the objective %s is at risk: %s meets it in %s of the continuations, and %s is asked for",
			a.Objective, a.Plan.Policy, percent(a.Policies[0].Met), percent(a.Share)))
	}
	return err
}

// check checks the intervals on the spec's histories.
func (f *adviseFlags) check(cmd *cobra.Command, s *spec.Spec, opt advise.Options) error {
	c, err := advise.CheckIntervals(cmd.Context(), s, *f.Check, f.WarmUp, opt)
	if err != nil {
		return err
	}
	return f.give(cmd, c.Warnings, c, func(w io.Writer) { printCheck(w, c) })
}

// give prints warnings and an answer.
func (f *adviseFlags) give(cmd *cobra.Command, warnings []string, value any, text func(io.Writer)) error {
	for _, x := range warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", x)
	}
	return (&cli.Answer{JSON: f.JSON}).Give(cmd, value, text)
}
