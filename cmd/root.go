package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/calibrate"
	"github.com/marigram/marigram/cmd/compare"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/mcp"
	"github.com/marigram/marigram/cmd/ownruns"
	"github.com/marigram/marigram/cmd/plan"
	"github.com/marigram/marigram/cmd/plot"
	"github.com/marigram/marigram/cmd/policies"
	"github.com/marigram/marigram/cmd/report"
	"github.com/marigram/marigram/cmd/reproduce"
	"github.com/marigram/marigram/cmd/run"
	"github.com/marigram/marigram/cmd/sweep"
	"github.com/marigram/marigram/cmd/traces"
)

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "marigram",
		Short: "Simulate the training of neural networks on spot instances",
		Long: `marigram replays traces of spot prices and capacity and reports what a
training job costs, when it finishes and whether it meets its objective, under
the policies of your choice.

Exit status: 0 done, 1 failed, 2 wrong usage or input, 3 a claim misses its
tolerance, 4 an objective is at risk (advise), 5 an objective falls short of run --require,
75 a sweep or tune was stopped by SIGTERM and can be resumed, 130 interrupted.

Tables mark the best value of a column with an asterisk. On a terminal they have
colours (unless NO_COLOR is set), and columns that do not fit its width (or COLUMNS)
are printed below. In a pipe there are no colours, and tables are not wrapped.`,
		Example: `  marigram run quickstart --out out
  marigram run my.yaml --policy reactive,spotdnn --seed 7
  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s --json
  marigram traces stats prices.json`,
		Version:       cli.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var moving plot.Drawing
	moving.Command, moving.Draw = reproduce.Moving()
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%s%s\nsee %s --help", cli.FlagError(err), cli.NearFlag(cmd, err), cmd.CommandPath())
	})
	return cli.NameArguments(cli.Group(root,
		cli.Interruptible(run.Command()), report.Command(), report.Explain(), cli.Interruptible(sweep.Command()),
		compare.Command(), cli.Interruptible(sweep.Tune()), cli.Interruptible(run.Bound()), cli.Interruptible(plan.Advise()),
		cli.Interruptible(policies.Judge()), cli.Interruptible(ownruns.Backtest()), plot.Command(moving),
		plan.Command(), calibrate.Command(), cli.Interruptible(reproduce.Command()), run.Validate(), run.Init(), schemaCommand(),
		traces.Command(), ownruns.Observe(),
		traces.Forecast(), run.Gym(), mcp.Command(), policies.Command(), manCommand()))
}
