package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

func ceilingCommand() *cobra.Command {
	var only cli.Selection
	return figureCommand(&cobra.Command{
		Use:   "bound DIR -o FILE",
		Short: "Cost against the share of runs that meet the objective, next to what no policy can beat",
		Long: `Draws for every objective (and combination of parameters) the mean cost of each policy,
with its 95 % interval, against the share of its runs that meet the objective. The line
across is the bound: no policy that meets the objective costs less. The upright lines are
the shares that no policy can exceed. The results in DIR need the columns of the bound:
marigram run --bound, or bound: true in a sweep.`,
		Example: `  marigram run quickstart --bound --policy ondemand,spotdnn,spotdnn-safe,clairvoyant --out out
  marigram plot bound out -o bound.svg`,
	}, func(cmd *cobra.Command, args []string) (*canvas.Figure, error) {
		return drawCeiling(cmd, args[0], only)
	}, &only)
}

// ceilings are the runs by objective and policy.
type ceilings struct {
	titles []string
	of     [][]*policyTally
}

type policyTally struct {
	name   string
	oracle bool
	met    intervals.Tally
	usd    intervals.Tally
	bound  results.Ceiling
}

func (c *ceilings) add(r *runOf) {
	i := slices.Index(c.titles, r.title())
	if i < 0 {
		i = len(c.titles)
		c.titles, c.of = append(c.titles, r.title()), append(c.of, nil)
	}
	k := slices.IndexFunc(c.of[i], func(t *policyTally) bool { return t.name == r.Policy })
	if k < 0 {
		k = len(c.of[i])
		c.of[i] = append(c.of[i], &policyTally{name: r.Policy, oracle: r.Oracle})
	}
	t := c.of[i][k]
	t.met.AddRunHit(r.Summary, r.Met)
	t.usd.AddRun(r.Summary, r.CostUSD)
	t.bound.Add(r.Summary)
}

func drawCeiling(cmd *cobra.Command, dir string, only cli.Selection) (*canvas.Figure, error) {
	var all ceilings
	s := study{Selection: only}
	if err := s.read(cmd, dir, all.add); err != nil {
		return nil, err
	}
	var panels []plots.Bound
	for i, title := range all.titles {
		x := plots.Bound{Title: title}
		var best *results.Ceiling
		for _, t := range all.of[i] {
			if !t.bound.Known() {
				return nil, fmt.Errorf("%s has no bounds: make it with marigram run --bound, or bound: true in the sweep", dir)
			}
			if best == nil || t.bound.Better(best) {
				best = &t.bound
			}
			p := plots.PolicyCost{PolicyResult: plots.PolicyResult{Policy: t.name, Oracle: t.oracle, Met: t.met.Mean()}, Mean: t.usd.Mean(), Low: math.NaN(),
				High: math.NaN()}
			if ci := t.usd.MeanInterval(); ci != nil {
				p.Low, p.High = ci.Low, ci.High
			}
			x.Of = append(x.Of, p)
		}
		x.CanMeet, x.OnSpot = float64(best.CanMeet)/float64(best.Runs), float64(best.CanMeetOnSpot)/float64(best.Runs)
		x.USD = stats.Or(best.USD, math.NaN())
		panels = append(panels, x)
	}
	return plots.CostBound(s.name+": cost and objective, next to what no policy can beat", s.about(quantityNamed("cost"))+s.basis(), panels)
}
