// Package plot is the command marigram plot: one figure of results.
package plot

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// Drawing is a command that draws a figure.
type Drawing struct {
	Command *cobra.Command
	Draw    func(cmd *cobra.Command, args []string) (*canvas.Figure, error)
}

// commands make the commands of figures.
var commands = []func() *cobra.Command{ceilingCommand, calibrationCommand, cdfCommand, heatMapCommand,
	meansCommand, pairedCommand}

// Command returns the command, with drawings of other packages below it.
func Command(more ...Drawing) *cobra.Command {
	all := tableCommands()
	for _, command := range commands {
		all = append(all, command())
	}
	for _, d := range more {
		all = append(all, figureCommand(d.Command, d.Draw))
	}
	return cli.Group(&cobra.Command{
		Use:   "plot",
		Short: "Draw one figure: distributions, paired differences, heat maps, calibration, bounds, jobs, timelines",
		Long: `Draws one figure of results into a file: SVG, PNG or PDF, by the ending of its
name. The same results give the same bytes, and a policy looks the same in every
figure. marigram run --out, traces plot and reproduce --out write
their own figures into a folder; marigram report makes one page.`,
		Example: `  marigram plot cdf out --of finish -o finish.pdf
  marigram plot paired sweep --baseline reactive -o paired.svg`,
	}, all...)
}

type tableFlags struct {
	Policy    string `flag:"policy" complete:"@policies" help:"the runs of this policy, by <name>; all if absent"`
	Objective string `flag:"objective" help:"the runs for the objective of this <label>; all if absent"`
}

// tableCommands are the figures that are drawn from the tables of a folder as they are (plots.Drawers).
func tableCommands() (out []*cobra.Command) {
	for _, d := range plots.Drawers() {
		var f tableFlags
		out = append(out, figureCommand(&cobra.Command{Use: d.Name + " DIR -o FILE", Short: d.Short, Long: d.Long,
			Example: fmt.Sprintf("  marigram plot %s out -o %[1]s.svg", d.Name),
		}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
			return drawTables(d, args[0], f.Policy, f.Objective)
		}, &f))
	}
	return out
}

// drawTables draws the first figure of a folder that run or sweep wrote, of the runs of a policy and an objective.
func drawTables(d *plots.Drawer, dir, policy, objective string) (*canvas.Figure, error) {
	set, err := tablesOf(dir)
	if err != nil {
		return nil, err
	}
	set.Summaries = slices.DeleteFunc(set.Summaries, func(s results.Summary) bool {
		return policy != "" && s.Policy != policy || objective != "" && s.Objective != objective
	})
	if len(set.Summaries) == 0 {
		err := fmt.Errorf("%s has no run of policy %q", dir, policy)
		if objective != "" {
			err = fmt.Errorf("%w for the objective %q", err, objective)
		}
		return nil, err
	}
	drawn, err := d.Draw(&set)
	switch {
	case errors.Is(err, plots.ErrNothing) && set.Summaries[0].ManyJobs() && len(set.Jobs) == 0:
		return nil, fmt.Errorf("%s has no runs of many jobs with their jobs (jobs.parquet); "+
			"marigram run keeps those of the first seeds (timelines)", dir)
	case errors.Is(err, plots.ErrNothing) && len(set.Spans) == 0:
		return nil, fmt.Errorf("%s has no timelines, from which this figure is drawn: "+
			"expected runs of a spec with timelines: 1", dir)
	case err != nil:
		return nil, err
	}
	return drawn[0].Figure, nil
}
