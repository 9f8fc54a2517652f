package plot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

func meansCommand() *cobra.Command {
	f := oneParameter{}
	return figureCommand(&cobra.Command{
		Use:   "means DIR -o FILE",
		Short: "Mean of a number over the runs of a sweep, by one of its parameters, with 95 % intervals",
		Long: `Draws, for each policy, the mean of a number over the runs of the sweep in DIR, by a parameter
whose values are numbers: --x, which may be left out if the sweep varies one only. --where selects a
value of every other parameter, --objective one of several objectives. Intervals (95 %) are those of
starts on a recorded market, of seeds otherwise. Runs that have no such number are left out.

` + cli.NamesHelp("Numbers", "quantities"),
		Example: `  marigram plot means sweep --of ettr -o ettr.svg
  marigram plot means sweep --of finish --x market.servers.0.count -o finish.pdf`,
	}, func(cmd *cobra.Command, args []string) (*canvas.Figure, error) { return f.draw(cmd, args[0]) }, &f)
}

// oneParameter says which runs of a sweep are drawn over which of its parameters.
type oneParameter struct {
	cli.Selection
	Of string `flag:"of" default:"cost" names:"@quantities" help:"the <number> to draw"`
	X  string `flag:"x" help:"<path> of the parameter"`
}

func (f *oneParameter) draw(cmd *cobra.Command, dir string) (*canvas.Figure, error) {
	values, err := settled(dir, &f.Selection, axis{"--x", &f.X})
	if err != nil {
		return nil, err
	}
	at := make([]float64, len(values[f.X]))
	for i, value := range values[f.X] {
		if at[i], err = strconv.ParseFloat(value, 64); err != nil {
			return nil, fmt.Errorf("%s has the value %s, expected numbers; marigram plot heatmap draws others", f.X,
				value)
		}
	}
	var drawn []string
	tallies := map[string][]intervals.Tally{}
	quantity := quantityNamed(f.Of)
	runs := study{Selection: f.Selection}
	err = runs.readOne(cmd, dir, func(r *runOf) {
		if tallies[r.Policy] == nil {
			drawn = append(drawn, r.Policy)
			tallies[r.Policy] = make([]intervals.Tally, len(at))
		}
		if measured, ok := quantity.of(r.Summary); ok {
			tallies[r.Policy][slices.Index(values[f.X], r.Value(f.X))].AddRun(r.Summary, measured)
		}
	})
	if err != nil {
		return nil, err
	}
	var all []plots.MeansOf
	for _, policy := range drawn {
		means := plots.MeansOf{Policy: policy}
		for i := range at {
			tally := &tallies[policy][i]
			if tally.Units() == 0 {
				continue
			}
			point := plots.MeanAt{X: at[i], Mean: tally.Mean(), Low: tally.Mean(), High: tally.Mean()}
			if interval := tally.MeanInterval(); interval != nil {
				point.Low = interval.Low
				point.High = interval.High
			}
			means.Points = append(means.Points, point)
		}
		all = append(all, means)
	}
	about := append([]string{runs.about(quantity) + "; intervals: 95 %" + runs.basis()}, f.Where...)
	return plots.Means([]string{runs.name + ": mean " + quantity.what, strings.Join(about, "; ")}, cli.Words(f.X),
		quantity.label(), all)
}
