package plot

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

func cdfCommand() *cobra.Command {
	var of string
	var only cli.Selection
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
	}, func(args []string) (*canvas.Figure, error) {
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

func drawCDF(dir string, only cli.Selection, q *quantity) (*canvas.Figure, error) {
	var all samples
	s := study{Selection: only}
	if err := s.read(dir, func(r *runOf) { all.add(r, q) }); err != nil {
		return nil, err
	}
	return plots.CDF(s.name+": "+q.what, s.about(q)+"; bands: Dvoretzky-Kiefer-Wolfowitz"+s.basis(), q.label(), all.panels())
}
