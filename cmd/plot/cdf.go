package plot

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

type cdfFlags struct {
	cli.Selection
	Of string `flag:"of" default:"cost" names:"@quantities" help:"the <number>"`
}

var _ = cli.NameList("quantities", func() (out []cli.Name) {
	for _, q := range quantities {
		out = append(out, cli.Name{Name: q.name, Doc: q.label()})
	}
	return out
})

func cdfCommand() *cobra.Command {
	var f cdfFlags
	return figureCommand(&cobra.Command{
		Use:   "cdf DIR -o FILE",
		Short: "Distribution of a number over the runs of each policy, with 95 % bands",
		Long: `Draws the cumulative distribution of a number over the runs of each policy, for every
objective (and combination of parameters) of the results of marigram run or sweep in
DIR. The band contains the whole true distribution with 95 % confidence (Dvoretzky,
Kiefer and Wolfowitz, with Massart's constant, 1990). n counts starts on a recorded
market, whose seeds share one trace, and seeds otherwise. Runs that did not
finish count as later than all others.

` + cli.NamesHelp("Numbers", "quantities"),
		Example: `  marigram plot cdf out -o cost.svg
  marigram plot cdf out --of relative --objective loss-0.54-in-6h -o finish.pdf`,
	}, func(cmd *cobra.Command, args []string) (*canvas.Figure, error) {
		var all samples
		of := quantityNamed(f.Of)
		runs := study{Selection: f.Selection}
		if err := runs.read(cmd, args[0], func(r *runOf) { all.add(r, of) }); err != nil {
			return nil, err
		}
		return plots.CDF(runs.name+": "+of.what, runs.about(of)+"; bands: Dvoretzky-Kiefer-Wolfowitz"+runs.basis(),
			of.label(), all.panels())
	}, &f)
}

// samples gathers a number of runs by objective and combination of parameters, and by
// policy.
type samples struct {
	titles []string // of panels
	of     map[string][]*sample
}

// sample is the runs of one policy.
type sample struct {
	plots.Sample
	met   intervals.Tally
	asked *float64
}

func (all *samples) add(r *runOf, q *quantity) {
	title := r.title()
	if all.of == nil {
		all.of = map[string][]*sample{}
	}
	if all.of[title] == nil {
		all.titles = append(all.titles, title)
	}
	one := all.policy(title, r)
	one.met.AddRunHit(r.Summary, r.Met)
	if number, ok := q.of(r.Summary); ok {
		one.Values = append(one.Values, number)
	} else {
		one.None++
	}
}

// policy finds the sample of a run's policy in a panel, or begins it.
func (all *samples) policy(title string, r *runOf) *sample {
	for _, one := range all.of[title] {
		if one.Policy == r.Policy {
			return one
		}
	}
	one := &sample{asked: r.ObjectiveShare}
	one.Policy = r.Policy
	one.Oracle = r.Oracle
	all.of[title] = append(all.of[title], one)
	return one
}

// panels are the samples as they are drawn.
func (all *samples) panels() (out []plots.Samples) {
	for _, title := range all.titles {
		panel := plots.Samples{Title: title}
		for _, one := range all.of[title] {
			one.Units = one.met.Independent()
			one.Met = one.met.Mean()
			one.Misses = !intervals.Meets(one.Met, one.asked)
			panel.Of = append(panel.Of, one.Sample)
		}
		out = append(out, panel)
	}
	return out
}
