package dynamicpricing

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// Moving draws the gains of a figure's spec: a file, or one that comes with marigram; for "", that of
// dynamic-pricing/world.
func Moving(name string) (*canvas.Figure, error) {
	name = cmp.Or(name, "dynamic-pricing/world")
	open := papers.ReadSpec
	if slices.Contains(papers.SpecNames(), name) && store.InputAbsent(name) {
		open = papers.OpenSpec
	}
	s, err := open(name)
	if err != nil {
		return nil, err
	}
	if s.Procedure != "dynamic-pricing-world" {
		return nil, fmt.Errorf("%s: procedure %q, expected dynamic-pricing-world", name, s.Procedure)
	}
	gains, err := gainsOf(s)
	if err != nil {
		return nil, err
	}
	panels := []plots.CurvePanel{gainPanel("as published", gains, func(g *gain) float64 { return g.Free }),
		gainPanel("any cheaper pool", gains, func(g *gain) float64 { return g.Any }),
		gainPanel("only where it pays", gains, func(g *gain) float64 { return g.Paying })}
	return plots.Curves("Where it stops paying to move: cost of staying over cost of moving every day",
		"spot prices of early 2020 (AWS, Azure), means over starts; below 1 it is more expensive to move than to stay", panels)
}

// gainPanel is one gain by the size of the job, a curve a model.
func gainPanel(title string, gains []gain, of func(*gain) float64) plots.CurvePanel {
	p := plots.CurvePanel{Title: title, X: "work (days of one V100)", Y: "staying / moving", Logarithmic: true, Level: 1}
	for i := range gains {
		g := &gains[i]
		k := slices.IndexFunc(p.Curves, func(c plots.Curve) bool { return c.Name == g.Model })
		if k < 0 {
			k = len(p.Curves)
			p.Curves = append(p.Curves, plots.Curve{Name: g.Model})
		}
		p.Curves[k].X, p.Curves[k].Y = append(p.Curves[k].X, g.V100Days), append(p.Curves[k].Y, of(g))
	}
	return p
}
