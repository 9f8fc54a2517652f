package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// figure is a drawing with what stands below it.
type figure struct {
	SVG     string // of plots, which escapes what it writes
	Caption string
	drawing *canvas.Figure
}

// inline draws a figure for a page.
func inline(f *canvas.Figure, theme *canvas.Theme, caption string) (figure, error) {
	svg, err := f.Inline(theme)
	return figure{string(svg), caption, f}, err
}

// about says on what market how many runs were, for figures.
func (s *Study) about() string {
	one := func(yield func(string) bool) { yield(s.market) }
	return plots.Markets(one) + "; n = " + s.unitCount()
}

// ranking draws what a run costs under each policy of an objective.
func (s *Study) ranking(o *objective) (*canvas.Figure, error) {
	var all []plots.Ranked
	for _, r := range o.Rows {
		costs := r.points.costs()
		one := plots.Ranked{Standing: r.standing(), Mean: r.CostUSD.Mean(), Low: math.NaN(), High: math.NaN(),
			P5: percentile(costs, 0.05), P95: percentile(costs, 0.95)}
		if ci := r.CostUSD.MeanInterval(); ci != nil {
			one.Low, one.High = ci.Low, ci.High
		}
		all = append(all, one)
	}
	return plots.Ranking(o.Name+": what a run costs", s.about(), all)
}

// figures draws those that explain the numbers.
func (s *Study) figures(theme *canvas.Theme) ([]figure, error) {
	var out []figure
	for _, draw := range []struct {
		caption string
		of      func() (*canvas.Figure, error)
	}{
		{"What each run cost, and when it was done", s.clouds},
		{"Cumulative fraction of the runs by cost, finished or not", s.distributions},
	} {
		f, err := draw.of()
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		one, err := inline(f, theme, draw.caption)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	for _, o := range s.objectives {
		f, err := s.spending(o)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		one, err := inline(f, theme, "Where the instance time went: "+o.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *Study) clouds() (*canvas.Figure, error) {
	var panels []plots.Clouds
	about, drawn, most := s.about(), 0, mostDrawn
	for _, o := range s.objectives {
		most = min(most, mostDrawn/len(s.objectives)/max(len(o.Rows), 1))
	}
	for _, o := range s.objectives {
		one := plots.Clouds{Title: o.Name}
		for _, r := range o.Rows {
			n := float64(max(r.Finished, 1))
			c := plots.Cloud{Standing: r.standing(), N: r.N, Finished: r.Finished, MetRuns: r.Met, MeanUSD: r.finishedUSD / n,
				MeanPercent: r.finishedPercent / n}
			for k := 0; k < len(r.points.kept); k += (len(r.points.kept) + most - 1) / max(most, 1) {
				c.Runs = append(c.Runs, r.points.kept[k].drawn())
			}
			drawn += len(c.Runs)
			one.Of = append(one.Of, c)
		}
		panels = append(panels, one)
	}
	if drawn < s.runs {
		about += fmt.Sprintf("; %d of %d runs drawn, means of all", drawn, s.runs)
	}
	return plots.Costs("cost and objective", about, panels)
}

// mostDrawn is how many runs are drawn one by one.
const mostDrawn = 4000

// fewestShared is the least number of units of a policy for which their distribution is
// drawn: below, the band is wider than half of the figure.
const fewestShared = 8

// distributions draws those of the costs; nil if there are too few units.
func (s *Study) distributions() (*canvas.Figure, error) {
	var panels []plots.Samples
	most := 0
	for _, o := range s.objectives {
		one := plots.Samples{Title: o.Name}
		for _, r := range o.Rows {
			costs := r.points.costs()
			one.Of = append(one.Of, plots.Sample{Standing: r.standing(), Values: costs, Units: min(r.met.Units(), len(costs))})
			most = max(most, r.met.Units())
		}
		panels = append(panels, one)
	}
	if most < fewestShared {
		return nil, nil
	}
	return plots.CDF("cost", "bands: Dvoretzky-Kiefer-Wolfowitz, 95 %, n = "+s.unitCount(), "cost of a run (USD)", panels)
}

// spending draws where the instance time of an objective's runs went; nil where the job
// is not to train all its samples, or some run trained none.
func (s *Study) spending(o *objective) (*canvas.Figure, error) {
	var all []plots.Spending
	for _, r := range o.Rows {
		if !r.whole {
			return nil, nil
		}
		one := plots.Spending{Standing: r.standing(), Hours: r.activity, Mean: r.perMillion / float64(r.N)}
		for i := range r.points.kept {
			one.PerMillion = append(one.PerMillion, r.points.kept[i].PerMillion)
		}
		all = append(all, one)
	}
	return plots.Spent(strings.TrimSpace(o.Name), s.about(), all)
}
