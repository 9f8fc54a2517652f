package plot

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

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
	switch many := set.Summaries[0].ManyJobs(); {
	case errors.Is(err, plots.ErrNothing) && many && len(set.Jobs) == 0:
		return nil, fmt.Errorf("%s has no runs of many jobs with their jobs (jobs.parquet); marigram run keeps those of the first seeds (timelines)", dir)
	case errors.Is(err, plots.ErrNothing) && len(set.Spans) == 0:
		return nil, fmt.Errorf("%s has no timelines, from which this figure is drawn: expected runs of a spec with timelines: 1", dir)
	case err != nil:
		return nil, err
	}
	return drawn[0].Figure, nil
}

// tablesOf returns the tables of a folder of marigram run, or the totals of a sweep.
func tablesOf(dir string) (set results.Set, err error) {
	if !cli.IsSweep(dir) {
		return results.ReadAll(dir)
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return set, err
	}
	err = folder.Rows(func(part []results.SweepRow) error {
		for i := range part {
			if part[i].Error == "" {
				set.Summaries = append(set.Summaries, part[i].Summary)
			}
		}
		return nil
	})
	return set, err
}
