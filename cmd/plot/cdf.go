package plot

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

type cdfFlags struct {
	cli.Selection
	Of string `flag:"of" default:"cost" names:"@quantities" help:"the <number>"`
}

var _ = flags.List("quantities", func() (out []flags.Name) {
	for _, q := range quantities {
		out = append(out, flags.Name{Name: q.name, Doc: q.label()})
	}
	return out
})

var _ = register(cdfCommand)

func cdfCommand() *cobra.Command {
	var f cdfFlags
	return figureCommand(&cobra.Command{
		Use:   "cdf DIR -o FILE",
		Short: "Distribution of a number over the runs of each policy, with 95 % bands",
		Long: `Draws the cumulative distribution of a number over the runs of each policy, for every
objective (and combination of parameters) of the results of marigram run or sweep in
DIR. The band contains the whole true distribution with 95 % confidence (Dvoretzky,
Kiefer and Wolfowitz, with Massart's constant, 1990). n counts starts on a recorded
market, whose seeds share one history, and seeds otherwise. Runs that did not
finish count as later than all others.

` + flags.Help("Numbers", "quantities"),
		Example: `  marigram plot cdf out -o cost.svg
  marigram plot cdf out --of relative --objective loss-0.54-in-6h -o finish.pdf`,
	}, func(cmd *cobra.Command, args []string) (*canvas.Figure, error) {
		var all samples
		q, s := quantityNamed(f.Of), study{Selection: f.Selection}
		if err := s.read(cmd, args[0], func(r *runOf) { all.add(r, q) }); err != nil {
			return nil, err
		}
		return plots.CDF(s.name+": "+q.what, s.about(q)+"; bands: Dvoretzky-Kiefer-Wolfowitz"+s.basis(), q.label(), all.panels())
	}, &f)
}
