package traces

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth/workload"
)

func fitJobsCommand() *cobra.Command {
	var f traceFlags
	var out string
	var seeds int
	cmd := &cobra.Command{
		Use:   "fit-jobs TRACE --out GEN.json",
		Short: "Fit a generator of jobs to a cluster's log, and measure how well it agrees",
		Long: `Fits arrivals with a rhythm of the day and the week, numbers of GPUs, and durations with a heavy tail
to the jobs of a log, and writes the generator as JSON, for jobs.synthetic.file of a spec. Prints
how well generated jobs agree with the log: with the log of the fit, so it shows that the
generator can imitate that log, not that it predicts another one.`,
		Example: `  marigram traces fit-jobs cluster_log.csv -o jobs.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if seeds < 1 || seeds > 10_000 {
				return fmt.Errorf("--seeds %d, expected 1 to 10000", seeds)
			}
			set, err := f.load(cmd, args[0])
			if err != nil {
				return err
			}
			jobs := logged(set)
			g, err := workload.Fit(jobs, set.Manifest.ClockKind != traces.ClockRelative)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			text, err := json.MarshalIndent(g, "", "  ")
			if err != nil {
				return cli.Failed(err)
			}
			if err := store.WriteBytes(context.Background(), out, append(text, '\n')); err != nil {
				return cli.Failed(err)
			}
			return cli.Failed(printAgreement(cmd, f.json, g.Agree(jobs, seeds), out))
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the generator into this `file`")
	cmd.Flags().IntVar(&seeds, "seeds", 20, "number of logs to generate for the agreement")
	cli.Must(cmd.MarkFlagRequired("out"))
	return cmd
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

func printAgreement(cmd *cobra.Command, asJSON bool, rows []workload.Agreement, out string) error {
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), rows)
	}
	t := term.NewTable("", "unit", "log", "generated", "least", "greatest")
	for _, r := range rows {
		t.Row(r.What, r.Unit, fmt.Sprintf("%.4g", r.Recorded), fmt.Sprintf("%.4g", r.Generated), fmt.Sprintf("%.4g", r.Low), fmt.Sprintf("%.4g", r.High))
	}
	if err := t.Print(cmd.OutOrStdout()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "written: %s\n", out)
	return err
}
