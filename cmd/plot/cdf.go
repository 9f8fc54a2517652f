package plot

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/runs"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/plots"
)

func cdfCommand() *cobra.Command {
	var of string
	var only runs.Selection
	cmd := figureCommand(&cobra.Command{
		Use:   "cdf DIR -o FILE",
		Short: "Distribution of a number over the runs of each policy, with 95 % bands",
		Long: `Draws the cumulative distribution of a number over the runs of each policy, for every
objective (and combination of parameters) of the results of marigram run or sweep in
DIR. The band contains the whole true distribution with 95 % confidence (Dvoretzky,
Kiefer and Wolfowitz, with Massart's constant, 1990). n counts starts on a recorded
market, whose seeds share one history, and seeds otherwise. Runs that did not
finish count as later than all others.

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
