package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "marigram",
		Short: "Simulate the training of neural networks on spot instances",
		Long: `marigram replays histories of spot prices and capacity and says what a training
job costs, when it finishes and whether it meets its objective, under policies
of your choice.

Exit status: 0 done, 1 failed, 2 wrong usage or input, 3 a claim misses its
tolerance, 75 a sweep was told to end (SIGTERM) and can go on, 130 interrupted.

Tables mark the best of a column with an asterisk. On a terminal they have colours,
but not if NO_COLOR is set, and no more columns than it has (or COLUMNS says): what
does not fit is printed below. In a pipe nothing is coloured, cut or moved.`,
		Example: `  marigram run quickstart --out out
  marigram run my.yaml --policy reactive,spotdnn --seed 7
  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s --json
  marigram traces stats prices.json`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w%s\nsee %s --help", err, nearFlag(cmd, err), cmd.CommandPath())
	})
	return group(root,
		interruptible(runCommand()), reportCommand(), explainCommand(), interruptible(sweepCommand()), compareCommand(), plotCommand(),
		planCommand(), calibrateCommand(), interruptible(reproduceCommand()), validateCommand(), schemaCommand(), tracesCommand(),
		forecastCommand(), policiesCommand(), manCommand())
}
