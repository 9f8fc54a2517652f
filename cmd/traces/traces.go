// Package traces is the command marigram traces: traces imported, described, made.
package traces

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
)

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "traces",
		Short:   "Import and describe traces of prices and capacity",
		Example: "  marigram traces stats prices.json",
	}, cli.Interruptible(importCommand()), exportCommand(), statsCommand(), listCommand(),
		cli.Interruptible(pullCommand()), plotCommand(),
		fitCommand(), fitJobsCommand(), synthCommand())
}
