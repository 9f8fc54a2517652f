package reproduce

import (
	"strings"

	_ "github.com/marigram/marigram/papers/all"
	dynamicpricing "github.com/marigram/marigram/papers/dynamic-pricing"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

// Moving returns the command marigram plot moving, and what draws its figure.
func Moving() (*cobra.Command, func(cmd *cobra.Command, args []string) (*canvas.Figure, error)) {
	return &cobra.Command{
			Use:   "moving [SPEC] -o FILE",
			Short: "Where it stops paying to move to cheaper regions and clouds, by the size of the job",
			Long: `Draws the cost of staying where the job began over that of choosing again every
day, at the spot prices of AWS and Azure in early 2020. Left: as the paper on dynamic
pricing counts, with moves and boots for nothing, no losses, and the day's prices known
ahead. Middle and right: with boots, losses, moves at their price, and prices until now;
going to any cheaper pool, or only where it pays. Below 1, moving costs more than staying.

SPEC is the spec of a figure, by default that of marigram reproduce dynamic-pricing/world:
copy papers/dynamic-pricing/world.yaml and change jobs, conditions or tariff.`,
			Example: `  marigram plot moving -o moving.svg`,
			Args:    cobra.MaximumNArgs(1),
		}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
			return dynamicpricing.Moving(strings.Join(args, ""))
		}
}
