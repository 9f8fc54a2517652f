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
	panel := slices.Index(c.titles, r.title())
	if panel < 0 {
		panel = len(c.titles)
		c.titles = append(c.titles, r.title())
		c.of = append(c.of, nil)
	}
	at := slices.IndexFunc(c.of[panel], func(tally *policyTally) bool { return tally.name == r.Policy })
	if at < 0 {
		at = len(c.of[panel])
		c.of[panel] = append(c.of[panel], &policyTally{name: r.Policy, oracle: r.Oracle})
	}
	tally := c.of[panel][at]
	tally.met.AddRunHit(r.Summary, r.Met)
	tally.usd.AddRun(r.Summary, r.CostUSD)
	tally.bound.Add(r.Summary)
}

func drawCeiling(cmd *cobra.Command, dir string, only cli.Selection) (*canvas.Figure, error) {
	var all ceilings
	runs := study{Selection: only}
	if err := runs.read(cmd, dir, all.add); err != nil {
		return nil, err
	}
	var panels []plots.Bound
	for i, title := range all.titles {
		bound := plots.Bound{Title: title}
		var best *results.Ceiling
		for _, tally := range all.of[i] {
			if !tally.bound.Known() {
				return nil, fmt.Errorf("%s has no bounds: "+
					"make it with marigram run --bound, or bound: true in the sweep", dir)
			}
			if best == nil || tally.bound.Better(best) {
				best = &tally.bound
			}
			policy := plots.PolicyCost{
				PolicyResult: plots.PolicyResult{Policy: tally.name, Oracle: tally.oracle, Met: tally.met.Mean()},
				Mean:         tally.usd.Mean(),
				Low:          math.NaN(),
				High:         math.NaN(),
			}
			if interval := tally.usd.MeanInterval(); interval != nil {
				policy.Low = interval.Low
				policy.High = interval.High
			}
			bound.Of = append(bound.Of, policy)
		}
		bound.CanMeet = float64(best.CanMeet) / float64(best.Runs)
		bound.OnSpot = float64(best.CanMeetOnSpot) / float64(best.Runs)
		bound.USD = stats.Or(best.USD, math.NaN())
		panels = append(panels, bound)
	}
	return plots.CostBound(runs.name+": cost and objective, next to what no policy can beat",
		runs.about(quantityNamed("cost"))+runs.basis(), panels)
}
