// Package plan is the commands that compute one decision: marigram plan, without a simulation, and advise, from a live
// state.
package plan

import (
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "plan",
		Short:   "Compute one decision, without a simulation",
		Example: "  marigram plan start regions",
	}, recommendCommand(), startCommand(), offersCommand(), reliabilityCommand())
}
