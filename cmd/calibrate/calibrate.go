// Package calibrate is the command marigram calibrate: models fitted to measured runs.
package calibrate

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
)

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "calibrate",
		Short: "Fit models to measured runs, and check them",
		Example: `  marigram calibrate list
  marigram calibrate fit runs.csv --as step-time-linear --where gpu=V100 -o v100.json
  marigram calibrate check v100.json --profile others.csv`,
	}, fitCommand(), checkCommand(), predictCommand(), summaryCommand(),
		stallsCommand(), listCommand())
}
