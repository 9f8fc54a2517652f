package plot

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/claims/regions"
	"github.com/marigram/marigram/experiments/spec/figures"
	"github.com/marigram/marigram/internal/inputfile"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/plots/curves"
	"github.com/spf13/cobra"
)

// movingSpec is the spec that is drawn if none is named.
const movingSpec = "dynamic-pricing/world"

func movingCommand() *cobra.Command {
	return figureCommand(&cobra.Command{
		Use:   "moving [SPEC] -o FILE",
		Short: "Where it stops paying to move to cheaper regions and clouds, by the size of the job",
		Long: `Draws how many times as dear it is to stay where the job began as to choose again every
day, at the spot prices of AWS and Azure in early 2020. Left: as the paper on dynamic
pricing counts, with moves and boots for nothing, no losses, and the day's prices known
ahead. Middle and right: with boots, losses, moves at their price, and prices until now;
going to any cheaper pool, or only where it pays. Below 1, moving is dearer than staying.

SPEC is the spec of a figure, by default that of marigram reproduce dynamic-pricing/world:
copy experiments/specs/dynamic-pricing/world.yaml and change jobs, conditions or tariff.`,
		Example: `  marigram plot moving -o moving.svg`,
		Args:    cobra.MaximumNArgs(1),
	}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
		name := movingSpec
		if len(args) > 0 {
			name = args[0]
		}
		return drawMoving(name)
	})
}

// drawMoving draws the gains of a figure's spec: a file, or one that comes with marigram.
func drawMoving(name string) (*canvas.Figure, error) {
	open := figures.OpenFile
	if slices.Contains(figures.Names(), name) && inputfile.Absent(name) {
		open = figures.Open
	}
	s, err := open(name)
	if err != nil {
		return nil, err
	}
	if s.Procedure != "dynamic-pricing-world" {
		return nil, fmt.Errorf("%s: procedure %q, expected dynamic-pricing-world", name, s.Procedure)
	}
	gains, err := regions.Gains(s)
	if err != nil {
		return nil, err
	}
	panels := []curves.Panel{gainPanel("as published", gains, func(g *regions.Gain) float64 { return g.Free }),
		gainPanel("any cheaper pool", gains, func(g *regions.Gain) float64 { return g.Any }),
		gainPanel("only where it pays", gains, func(g *regions.Gain) float64 { return g.Paying })}
	return curves.Draw("Where it stops paying to move: cost of staying over cost of moving every day",
		"spot prices of early 2020 (AWS, Azure), means over starts; below 1 it is dearer to move than to stay", panels)
}

// gainPanel is one gain by the size of the job, a curve a model.
func gainPanel(title string, gains []regions.Gain, of func(*regions.Gain) float64) curves.Panel {
	p := curves.Panel{Title: title, X: "work (days of one V100)", Y: "staying / moving", Logarithmic: true, Level: 1}
	for i := range gains {
		g := &gains[i]
		k := slices.IndexFunc(p.Curves, func(c curves.Curve) bool { return c.Name == g.Model })
		if k < 0 {
			k = len(p.Curves)
			p.Curves = append(p.Curves, curves.Curve{Name: g.Model})
		}
		p.Curves[k].X, p.Curves[k].Y = append(p.Curves[k].X, g.V100Days), append(p.Curves[k].Y, of(g))
	}
	return p
}
