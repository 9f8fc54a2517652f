package plot

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/plots/jobs"
)

// jobsCommands are the figures of runs of many jobs.
func jobsCommands() []*cobra.Command {
	return []*cobra.Command{
		figureCommand(&cobra.Command{
			Use:   "completion DIR -o FILE",
			Short: "Of many jobs: distributions of completion and queue times by policy",
			Long: `Draws, for the first run of each policy that marigram run wrote into DIR, the share of the jobs
that took at most so long from submission to finish, and that were at most so long without GPUs.
Jobs that were not done count as later than all others.`,
			Example: "  marigram plot completion out -o completion.svg",
		}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
			return drawJobs(args[0], jobs.CompletionTimes)
		}),
		figureCommand(&cobra.Command{
			Use:     "load DIR -o FILE",
			Short:   "Of many jobs: GPUs held and GPUs that waiting jobs ask for, over time",
			Long:    "Draws the load of a cluster over the time of the first run of each policy that marigram run wrote into DIR.",
			Example: "  marigram plot load out -o load.svg",
		}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) { return drawJobs(args[0], jobs.Load) }),
		figureCommand(&cobra.Command{
			Use:     "cost-completion DIR -o FILE",
			Short:   "Of many jobs: mean completion time against cost",
			Long:    "Draws the mean completion time of the jobs against the cost of the run, or against GPU-hours where nothing is paid: all runs in DIR.",
			Example: "  marigram plot cost-completion out -o cost.svg",
		}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
			set, err := results.ReadAll(args[0])
			if err != nil {
				return nil, err
			}
			return jobs.CostCompletion(set.Summaries)
		}),
		figureCommand(&cobra.Command{
			Use:     "cost-lateness DIR -o FILE",
			Short:   "Of many jobs: missed deadlines against cost",
			Long:    "Draws the share of the jobs that miss their deadline against the cost of a GPU-hour of training that counts: the mean of all runs of each policy in DIR, a folder of marigram run or of a complete sweep.",
			Example: "  marigram plot cost-lateness sweep -o lateness.svg",
		}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
			rows, err := summariesOf(args[0])
			if err != nil {
				return nil, err
			}
			return jobs.CostLateness(rows)
		}),
		placementCommand(),
	}
}

// summariesOf returns the runs of a folder of marigram run, or of a sweep.
func summariesOf(dir string) (rows []results.Summary, err error) {
	if !cli.IsSweep(dir) {
		rows, _, err = results.ReadRuns(dir)
		return rows, err
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	err = folder.Rows(func(part []results.SweepRow) error {
		for i := range part {
			if part[i].Error == "" {
				rows = append(rows, part[i].Summary)
			}
		}
		return nil
	})
	return rows, err
}

type placementFlags struct {
	Policy string `flag:"policy" complete:"@policies" help:"the run of this policy, by <name>; the first if absent"`
}

func placementCommand() *cobra.Command {
	var f placementFlags
	return figureCommand(&cobra.Command{
		Use:   "placement DIR --policy NAME -o FILE",
		Short: "Of many jobs: who ran where",
		Long: `Draws who ran where in the first run of a policy: up to 64 GPUs each have a row, with the number of
the job; of more GPUs, the share that is held.`,
		Example: "  marigram plot placement out --policy las -o placement.svg",
	}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
		return drawJobs(args[0], func(runs []jobs.Run) (*canvas.Figure, error) {
			for i := range runs {
				if f.Policy == "" || runs[i].Policy == f.Policy {
					return jobs.Placement(&runs[i])
				}
			}
			return nil, fmt.Errorf("no run of policy %q kept its jobs", f.Policy)
		})
	}, &f)
}

// drawJobs draws the runs of a folder that kept their jobs.
func drawJobs(dir string, draw func([]jobs.Run) (*canvas.Figure, error)) (*canvas.Figure, error) {
	set, err := results.ReadAll(dir)
	if err != nil {
		return nil, err
	}
	kept := jobs.Runs(&set)
	if len(kept) == 0 {
		return nil, fmt.Errorf("%s has no runs of many jobs with their jobs (jobs.parquet); marigram run keeps those of the first seeds (timelines)", dir)
	}
	figure, err := draw(kept)
	if errors.Is(err, plots.ErrNothing) && len(set.Spans) == 0 {
		return nil, fmt.Errorf("%s has no timelines, from which this figure is drawn: expected runs of a spec with timelines: 1", dir)
	}
	return figure, err
}
