package compare

import (
	"cmp"
	"fmt"
	"io"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// compareQueues prints how much longer the jobs of each queue wait in a folder than in another.
func compareQueues(w io.Writer, before, after string, asJSON bool) error {
	var sets [2]results.Set
	for i, dir := range [...]string{before, after} {
		if cli.IsSweep(dir) {
			return fmt.Errorf("--queues: %s is of a sweep, which keeps no jobs: "+
				"expected a folder of marigram run --out", dir)
		}
		set, err := results.ReadAll(dir)
		if err != nil {
			return err
		}
		sets[i] = set
	}
	changes, warnings, err := sweep.CompareQueues(&sets[0], &sets[1])
	if err != nil {
		return fmt.Errorf("--queues: %s and %s: %w", before, after, err)
	}
	if asJSON {
		return cli.WriteJSON(w, changes)
	}
	printQueueChanges(w, before, after, changes)
	for _, text := range warnings {
		term.Warn(w, "%s", text)
	}
	return nil
}

func printQueueChanges(w io.Writer, before, after string, changes []sweep.QueueChange) {
	shown := table.New("policy", "queue|left", "jobs", "before h|hours", "after h|hours", "change h|%+.2f", "95 %",
		"longer|percent", "shorter|percent", "not done", "units|left")
	for i := range changes {
		c := &changes[i]
		independent := ""
		interval := ""
		if ci := c.ChangeCI; ci != nil {
			independent = units.Count(ci.Units, c.Unit, c.Unit+"s")
			if c.Unit == "batch" {
				independent = units.Count(ci.Units, "batch", "batches")
			}
			interval = fmt.Sprintf("%+.2f to %+.2f", ci.Low/3600, ci.High/3600)
		}
		shown.Row(c.Policy, cmp.Or(c.Queue, "(all)"), c.Jobs,
			c.BeforeS, c.AfterS, c.ChangeS/3600, interval, c.Longer, c.Shorter, c.NotDone, independent)
	}
	term.Print(w, shown)
	fmt.Fprintf(w, "\ntime without GPUs, by queue: before in %s, after in %s; "+
		"change: mean over the same jobs, and its 95 %% confidence interval;\n"+
		"not done: in one of them, whose wait counts to the end of the run\n", before, after)
}
