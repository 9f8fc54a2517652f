package traces

import (
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
	"github.com/marigram/marigram/internal/renamed"
	"github.com/marigram/marigram/internal/spelling"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth"
)

// modelsHelp lists the models for a help text.
func modelsHelp() string {
	var b strings.Builder
	b.WriteString("Models:\n")
	for _, l := range synth.Models() {
		needs := ""
		if !l.Standard {
			needs = " (needs a history)"
		}
		fmt.Fprintf(&b, "  %-14s %s%s\n", l.Name, l.What, needs)
	}
	return b.String()
}

func completeModels(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, l := range synth.Models() {
		out = append(out, cobra.CompletionWithDesc(l.Name, l.What))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// checkModel returns an error that names the nearest model.
func checkModel(name string) error {
	var names []string
	for _, l := range synth.Models() {
		if l.Name == name {
			return nil
		}
		names = append(names, l.Name)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown model %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown model %q; the models are %s", name, strings.Join(names, ", "))
}

func fitCommand() *cobra.Command {
	var f traceFlags
	var model, out string
	var opt synth.FitOptions
	cmd := &cobra.Command{
		Use:   "fit TRACE --model MODEL --out GEN.json",
		Short: "Fit a generator to a history, and measure how well it agrees",
		Long: `Fits a model to a recorded history and writes it as JSON: its parameters, the hash
of the history, and how well generated histories agree with the record, which is
also printed. The agreement is with the history of the fit: it shows that the model can
imitate that history, not that it predicts another one.

` + modelsHelp(),
		Example: `  marigram traces fit v100 --model bulk -o gen.json
  marigram traces fit p3-trace.csv --model kaplan-meier --max-life 24h -o lifetimes.json --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("law") {
				term.Warn(cmd.ErrOrStderr(), "%s", renamed.Warning("--law", "--model"))
			}
			if err := checkModel(model); err != nil {
				return err
			}
			set, err := f.load(cmd, args[0])
			if err != nil {
				return err
			}
			g, err := synth.Fit(model, set, opt)
			if err != nil {
				return err
			}
			if err := g.Write(out); err != nil {
				return cli.Failed(err)
			}
			if f.json {
				return cli.Failed(cli.WriteJSON(cmd.OutOrStdout(), g.Fit))
			}
			if err := printFit(cmd.OutOrStdout(), g.Fit); err != nil {
				return cli.Failed(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "written: %s\n", out)
			return cli.Failed(err)
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&model, "model", "", "`name` of the model")
	flags.StringVar(&model, "law", "", "")
	cli.Must(flags.MarkHidden("law")) // its former name
	flags.StringVarP(&out, "out", "o", "", "write the generator into this `file`")
	flags.IntVar(&opt.Seeds, "seeds", 40, "number of histories to generate for the agreement")
	flags.DurationVar(&opt.Block, "block", 0,
		"length of the blocks of the model block; by default a day, or a quarter of the record if that is shorter")
	flags.DurationVar(&opt.MaxLifetime, "max-life", 0,
		"longest lifetime of the models kaplan-meier and bathtub, for example 24h; by default no limit")
	cmd.MarkFlagsOneRequired("model", "law")
	cli.Must(cmd.MarkFlagRequired("out"))
	cli.Must(cmd.RegisterFlagCompletionFunc("model", completeModels))
	return cmd
}

func synthCommand() *cobra.Command {
	var f traceFlags
	var out, check string
	var seed uint64
	var seeds int
	var span time.Duration
	cmd := &cobra.Command{
		Use:   "synth GEN.json|MODEL [--out DIR] [--check TRACE]",
		Short: "Generate a history with a fitted generator, or a model with published parameters",
		Long: `Generates a history and writes it in the neutral form, marked synthetic. The same seed
gives the same bytes. With --check, compares generated histories with a recorded one,
statistic by statistic, each with its tolerance; it need not be the history of the
fit.

` + modelsHelp(),
		Example: `  marigram traces synth gen.json --seed 7 --span 48h --out made
  marigram traces synth bamboo --span 24h --out hourly
  marigram traces synth exponential --check p3-trace.csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := generator(args[0])
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if out != "" {
				set, err := g.Generate(seed, span)
				if err != nil {
					return err
				}
				if err := set.Write(out); err != nil {
					return cli.Failed(err)
				}
				if f.json && check == "" {
					return cli.Failed(cli.WriteJSON(w, set.Manifest))
				}
				if !f.json {
					fmt.Fprintf(w, "%s: %v of %d pools, %d prices, %d counts, %d events of machines\nwritten: %s\n",
						set.Manifest.TraceID, span, len(set.Pools), len(set.Prices), len(set.Capacity), len(set.InstanceEvents), out)
				}
			}
			if check == "" {
				return nil
			}
			recorded, err := f.load(cmd, check)
			if err != nil {
				return err
			}
			table, err := synth.Check(g, recorded, seeds)
			if err != nil {
				return err
			}
			if f.json {
				return cli.Failed(cli.WriteJSON(w, table))
			}
			return cli.Failed(printFit(w, &table))
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.Uint64Var(&seed, "seed", 1, "seed of the history")
	flags.DurationVar(&span, "span", 48*time.Hour, "length of the history")
	flags.StringVar(&out, "out", "", "write the tables into this `folder`")
	flags.StringVar(&check, "check", "", "compare with this recorded `trace`")
	flags.IntVar(&seeds, "seeds", 40, "number of histories to generate for --check, each as long as the recorded one")
	cmd.MarkFlagsOneRequired("out", "check")
	return cli.TakesNames(cli.Writes(cmd, traces.Files()...))
}

// generator reads a generator's file, or takes a model by name.
func generator(name string) (*synth.Generator, error) {
	if filepath.Ext(name) == "" && !strings.ContainsRune(name, filepath.Separator) {
		if err := checkModel(name); err != nil {
			return nil, err
		}
		return synth.Standard(name)
	}
	g, err := synth.ReadGenerator(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; marigram traces fit makes one", err)
	}
	return g, err
}

func printFit(w io.Writer, t *synth.Table) error {
	if _, err := fmt.Fprintf(w, "model %s compared with %s: %d histories of %.1f h\n\n", t.Model, t.TraceID, t.Seeds,
		t.Hours); err != nil {
		return err
	}
	out := term.NewTable("statistic", "unit", "recorded", "generated", "spread", "tolerance", "", "verdict")
	for _, r := range t.Rows {
		tolerance, reported := fmt.Sprintf("%.2f", r.Tolerance), ""
		if r.Relative {
			tolerance = fmt.Sprintf("%.0f %%", 100*r.Tolerance)
		}
		if !r.Required {
			reported = "reported"
		}
		out.Row(r.Statistic, r.Unit, optional(r.Recorded, "%.4f"), optional(r.Generated, "%.4f"),
			optional(r.Spread, "%.4f"), tolerance, reported, r.Verdict)
	}
	if err := out.Print(w); err != nil {
		return err
	}
	verdict := "passes"
	if !t.Passes {
		verdict = "does not pass"
	}
	fmt.Fprintf(w, "\n%s: rows that are not only reported, and that are recorded and made, must fit\n", verdict)
	for _, note := range t.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	return nil
}
