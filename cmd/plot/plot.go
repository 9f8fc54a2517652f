package plot

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/compare"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/runs"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/plots"
)

func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "plot",
		Short: "Draw one figure: distributions, paired differences, heat maps, calibration",
		Long: `Draws one figure of results into a file: SVG, PNG or PDF, by the ending of its
name. The same results give the same bytes, and a policy looks the same in every
figure. marigram run --out, forecast --out, traces plot and reproduce --out draw theirs
into a folder; marigram report has those of a run in one page.`,
		Example: `  marigram plot cdf out --of finish -o finish.pdf
  marigram plot paired sweep --baseline reactive -o paired.svg`,
	}, plotCDFCommand(), plotPairedCommand(), plotHeatMapCommand(), plotCalibrationCommand())
}

// forms are the files a figure can be drawn into, by the ending of their names.
var forms = map[string]func(*plots.Figure) ([]byte, error){
	".svg": (*plots.Figure).SVG, ".png": (*plots.Figure).PNG, ".pdf": (*plots.Figure).PDF,
}

// figureCommand makes cmd draw what draw returns into the file of its flag -o.
func figureCommand(cmd *cobra.Command, draw func(args []string) (*plots.Figure, error)) *cobra.Command {
	var out string
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form := forms[strings.ToLower(filepath.Ext(out))]
		if form == nil {
			return fmt.Errorf("--output %s: expected a name that ends in .svg, .png or .pdf", out)
		}
		figure, err := draw(args)
		if errors.Is(err, plots.ErrNothing) {
			return fmt.Errorf("%s has nothing that can be drawn", args[0])
		}
		if err != nil {
			return err
		}
		b, err := form(figure)
		if err != nil {
			return cli.Failed(err)
		}
		err = atomicfile.Write(out, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
		}
		return cli.Failed(err)
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "draw into this `file`: .svg, .png or .pdf")
	cli.Must(cmd.MarkFlagRequired("output"))
	return cmd
}

func plotCDFCommand() *cobra.Command {
	var of string
	var only runs.Selection
	cmd := figureCommand(&cobra.Command{
		Use:   "cdf DIR -o FILE",
		Short: "The distribution of a number over the runs of each policy, with 95 % bands",
		Long: `Draws, for every objective (and combination of parameters) of what marigram run or
sweep wrote into DIR, the share of runs of each policy with at most a value, and the
band that holds the true distribution with 95 % confidence, all of it at once
(Dvoretzky, Kiefer and Wolfowitz with Massart's constant, 1990); n is the number of
starts on a recorded market, whose seeds share one history, else that of seeds.
Runs that did not finish have no finish: they count as later than all.

--of is one of ` + quantityHelp(),
		Example: `  marigram plot cdf out -o cost.svg
  marigram plot cdf out --of relative --objective loss-0.54-in-6h -o finish.pdf`,
	}, func(args []string) (*plots.Figure, error) {
		q, err := quantityNamed(of)
		if err != nil {
			return nil, err
		}
		return drawCDF(args[0], only, q)
	})
	cmd.Flags().StringVar(&of, "of", "cost", "the `number`")
	only.Add(cmd)
	cli.CompleteFlag(cmd, "of", quantityNames())
	return cmd
}

func drawCDF(dir string, only runs.Selection, q *quantity) (*plots.Figure, error) {
	var panels []plots.Samples
	index := map[string]int{}
	s := study{Selection: only}
	err := s.read(dir, func(r *runOf) {
		at, has := index[r.title()]
		if !has {
			at, index[r.title()] = len(panels), len(panels)
			panels = append(panels, plots.Samples{Title: r.title()})
		}
		one := sampleOf(&panels[at], r)
		one.Units[r.unit] = true
		if x, ok := q.of(r.Summary); ok {
			one.Values = append(one.Values, x)
		} else {
			one.None++
		}
	})
	if err != nil {
		return nil, err
	}
	return plots.CDF(s.name+": "+q.what, s.about(q)+"; bands: Dvoretzky-Kiefer-Wolfowitz"+s.basis(), q.label(), panels)
}

// sampleOf finds the sample of a run's policy in a panel, or begins it.
func sampleOf(panel *plots.Samples, r *runOf) *plots.Sample {
	for i := range panel.Of {
		if panel.Of[i].Policy == r.Policy {
			return &panel.Of[i]
		}
	}
	panel.Of = append(panel.Of, plots.Sample{Policy: r.Policy, Oracle: r.Oracle, Units: map[intervals.Unit]bool{}})
	return &panel.Of[len(panel.Of)-1]
}

func plotPairedCommand() *cobra.Command {
	var f compare.Flags
	cmd := figureCommand(&cobra.Command{
		Use:   "paired DIR -o FILE",
		Short: "How much more or less than a baseline each policy costs, run by run",
		Long: `Draws what marigram compare prints of what marigram sweep or run wrote into DIR: for
every objective and combination of parameters, the mean difference between the cost
of each policy and that of the baseline in the same cell, from the same start and
under the same seed, with its 95 % interval (Student's, of the starts on a
recorded market, whose seeds share one history, else of the seeds), and in how many
of the pairs it costs less. --where, --policy and --objective draw some of it.`,
		Example: `  marigram plot paired sweep --baseline reactive -o paired.svg
  marigram plot paired sweep --where market.replay.notice_s=30 --policy spotdnn -o notice.svg`,
	}, func(args []string) (*plots.Figure, error) { return drawPaired(&f, args[0]) })
	f.Add(cmd)
	return cmd
}

func drawPaired(f *compare.Flags, dir string) (*plots.Figure, error) {
	rows, err := f.Compare(dir)
	if err != nil {
		return nil, err
	}
	baseline := f.Baseline
	s := study{Selection: f.Selection}
	if err := s.read(dir, func(*runOf) {}); err != nil { // for the markets
		return nil, err
	}
	var panels []plots.Differences
	about := s.about(quantities[0]) + "; intervals: Student's" + s.basis()
	if slices.ContainsFunc(rows, func(c sweep.Comparison) bool { return c.PairUnits() < intervals.Few }) {
		about += fmt.Sprintf("; fewer than %d in some: doubtful", intervals.Few)
	}
	for i, c := range rows {
		if i == 0 || c.Objective != rows[i-1].Objective || c.Parameters != rows[i-1].Parameters {
			where, err := runs.ParseCombination(c.Parameters)
			if err != nil {
				return nil, cli.Failed(err)
			}
			panels = append(panels, plots.Differences{Title: where.Title(c.Objective)})
		}
		if c.Policy == baseline || c.Pairs == 0 {
			continue
		}
		d := plots.Difference{Policy: c.Policy, Oracle: c.Oracle, Mean: c.DiffUSD, Low: math.NaN(), High: math.NaN(),
			Pairs: c.Pairs, Wins: c.WinRate}
		if c.DiffCI != nil {
			d.Low, d.High = c.DiffCI.Low, c.DiffCI.High
		}
		panels[len(panels)-1].Of = append(panels[len(panels)-1].Of, d)
	}
	return plots.Paired(s.name+": cost minus that of "+baseline, about, "cost minus that of "+baseline+" (USD)", panels)
}
