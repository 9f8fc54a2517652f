package traces

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth"
	"github.com/marigram/marigram/traces/synth/workload"
)

var _ = cli.NameList("models", func() (out []cli.Name) {
	for _, l := range synth.Models() {
		doc := l.What
		if !l.Standard {
			doc += " (needs a trace)"
		}
		out = append(out, cli.Name{Name: l.Name, Doc: doc})
	}
	return out
})

type fitFlags struct {
	traceFlags
	Model   string        `flag:"model" was:"law" required:"true" names:"@models" help:"<name> of the model"`
	Out     string        `flag:"out,o" required:"true" help:"write the generator into this <file>"`
	Seeds   int           `flag:"seeds" default:"40" help:"number of traces to generate for the agreement"`
	Block   time.Duration `flag:"block" help:"length of the blocks of the model block; by default a day, or a quarter of the record if that is shorter"`
	MaxLife time.Duration `flag:"max-life" help:"longest lifetime of the models kaplan-meier and bathtub, for example 24h; by default no limit"`
}

func fitCommand() *cobra.Command {
	var f fitFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "fit TRACE --model MODEL --out GEN.json",
		Short: "Fit a generator to a trace, and measure how well it agrees",
		Long: `Fits a model to a recorded trace and writes it as JSON: its parameters, the hash
of the trace, and how well generated traces agree with the record, which is
also printed. The agreement is with the trace of the fit: it shows that the model can
imitate that trace, not that it predicts another one.

` + cli.NamesHelp("Models", "models"),
		Example: `  marigram traces fit v100 --model bulk -o gen.json
  marigram traces fit p3-trace.csv --model kaplan-meier --max-life 24h -o lifetimes.json --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := f.load(cmd, args[0])
			if err != nil {
				return err
			}
			g, err := synth.Fit(f.Model, set, synth.FitOptions{Seeds: f.Seeds, Block: f.Block, MaxLifetime: f.MaxLife})
			if err != nil {
				return err
			}
			if err := g.Write(f.Out); err != nil {
				return cli.Failed(err)
			}
			return f.Give(cmd, g.Fit, func(w io.Writer) {
				printFit(w, g.Fit)
				fmt.Fprintf(w, "written: %s\n", f.Out)
			})
		},
	}, &f)
}

type synthFlags struct {
	traceFlags
	Seed  uint64        `flag:"seed" default:"1" help:"seed of the trace"`
	Span  time.Duration `flag:"span" default:"48h" help:"length of the trace"`
	Out   string        `flag:"out" help:"write the tables into this <folder>"`
	Check string        `flag:"check" help:"compare with this recorded <trace>"`
	Seeds int           `flag:"seeds" default:"40" help:"number of traces to generate for --check, each as long as the recorded one"`
}

func synthCommand() *cobra.Command {
	var f synthFlags
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "synth GEN.json|MODEL [--out DIR] [--check TRACE]",
		Short: "Generate a trace with a fitted generator, or a model with published parameters",
		Long: `Generates a trace and writes it in the neutral form, marked synthetic. The same seed
gives the same bytes. With --check, compares generated traces with a recorded one,
statistic by statistic, each with its tolerance; it need not be the trace of the
fit.

` + cli.NamesHelp("Models", "models"),
		Example: `  marigram traces synth gen.json --seed 7 --span 48h --out made
  marigram traces synth bamboo --span 24h --out hourly
  marigram traces synth exponential --check p3-trace.csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.Complete("models"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := generator(args[0])
			if err != nil {
				return err
			}
			return f.run(cmd, g)
		},
	}, &f)
	cmd.MarkFlagsOneRequired("out", "check")
	return cli.TakesNames(cli.Writes(cmd, traces.Files()...))
}

func (f *synthFlags) run(cmd *cobra.Command, g *synth.Generator) error {
	w := cmd.OutOrStdout()
	if f.Out != "" {
		set, err := g.Generate(f.Seed, f.Span)
		if err != nil {
			return err
		}
		if err := set.Write(f.Out); err != nil {
			return cli.Failed(err)
		}
		if f.JSON && f.Check == "" {
			return cli.WriteJSON(w, set.Manifest)
		}
		if !f.JSON {
			fmt.Fprintf(w, "%s: %v of %d pools, %d prices, %d counts, %d events of machines\nwritten: %s\n",
				set.Manifest.TraceID, f.Span, len(set.Pools), len(set.Prices), len(set.Capacity), len(set.InstanceEvents), f.Out)
		}
	}
	if f.Check == "" {
		return nil
	}
	recorded, err := f.load(cmd, f.Check)
	if err != nil {
		return err
	}
	checked, err := synth.Check(g, recorded, f.Seeds)
	if err != nil {
		return err
	}
	return f.Give(cmd, checked, func(w io.Writer) { printFit(w, &checked) })
}

// generator reads a generator's file, or takes a model by name.
func generator(name string) (*synth.Generator, error) {
	if filepath.Ext(name) == "" && !strings.ContainsRune(name, filepath.Separator) {
		return synth.Standard(name)
	}
	g, err := synth.ReadGenerator(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; marigram traces fit makes one", err)
	}
	return g, err
}

func printFit(w io.Writer, t *synth.Table) {
	fmt.Fprintf(w, "model %s compared with %s: %d traces of %.1f h\n\n", t.Model, t.TraceID, t.Seeds, t.Hours)
	out := table.New("statistic", "unit", "recorded|%.4f", "generated|%.4f", "spread|%.4f", "tolerance|%.2f", "|/reported", "verdict")
	for _, r := range t.Rows {
		var tolerance any = r.Tolerance
		if r.Relative {
			tolerance = fmt.Sprintf("%.0f %%", 100*r.Tolerance)
		}
		out.Row(r.Statistic, r.Unit, r.Recorded, r.Generated, r.Spread, tolerance, r.Required, r.Verdict)
	}
	term.Print(w, out)
	verdict := "passes"
	if !t.Passes {
		verdict = "does not pass"
	}
	fmt.Fprintf(w, "\n%s: rows that are not only reported, and that are recorded and made, must fit\n", verdict)
	for _, note := range t.Notes {
		fmt.Fprintln(w, "note:", note)
	}
}

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
