package traces

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth/workload"
)

type fitJobsFlags struct {
	traceFlags
	Out   string `flag:"out,o" required:"true" help:"write the generator into this <file>"`
	Seeds int    `flag:"seeds" default:"20" min:"1" max:"10000" help:"number of logs to generate for the agreement"`
}

func fitJobsCommand() *cobra.Command {
	var f fitJobsFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "fit-jobs TRACE --out GEN.json",
		Short: "Fit a generator of jobs to a cluster's log, and measure how well it agrees",
		Long: `Fits arrivals with a rhythm of the day and the week, numbers of GPUs, and durations with a heavy tail
to the jobs of a log, and writes the generator as JSON, for jobs.synthetic.file of a spec. Prints
how well generated jobs agree with the log: with the log of the fit, so it shows that the
generator can imitate that log, not that it predicts another one.`,
		Example: `  marigram traces fit-jobs cluster_log.csv -o jobs.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := f.load(cmd, args[0])
			if err != nil {
				return err
			}
			jobs := logged(set)
			g, err := workload.Fit(jobs, set.Manifest.ClockKind != traces.ClockRelative)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := store.Write(context.Background(), f.Out, func(w io.Writer) error { return cli.WriteJSON(w, g) }); err != nil {
				return cli.Failed(err)
			}
			rows := g.Agree(jobs, f.Seeds)
			return f.Give(cmd, rows, func(w io.Writer) {
				t := table.New("", "unit", "log|%.4g", "generated|%.4g", "least|%.4g", "greatest|%.4g")
				for _, r := range rows {
					t.Row(r.What, r.Unit, r.Recorded, r.Generated, r.Low, r.High)
				}
				term.Print(w, t)
				fmt.Fprintf(w, "written: %s\n", f.Out)
			})
		},
	}, &f)
}

// logged are the jobs of a set.
func logged(set *traces.Set) []workload.Recorded {
	out := make([]workload.Recorded, len(set.Jobs))
	for i := range set.Jobs {
		j := &set.Jobs[i]
		out[i] = workload.Recorded{At: time.UnixMicro(j.T), GPUs: j.GPUs}
		if j.DurationUs != nil {
			out[i].Duration = float64(*j.DurationUs) / 1e6
		}
	}
	return out
}
