package report

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// drawing is a figure with what stands below it.
type drawing struct {
	figure  *canvas.Figure
	caption string
}

// about says on what market how many runs were, for figures.
func (s *Study) about() string {
	one := func(yield func(string) bool) { yield(s.market) }
	return plots.Markets(one) + "; n = " + s.unitCount()
}

// ranking draws what policies are ranked by for an objective.
func (s *Study) ranking(o *objective) (*canvas.Figure, error) {
	var all []plots.Ranked
	for _, r := range o.Rows {
		if r.value.Units() == 0 {
			continue
		}
		values := r.points.sorted(func(p *point) float64 { return p.value })
		one := plots.Ranked{PolicyResult: r.policy(), Mean: r.value.Mean(), Low: math.NaN(), High: math.NaN(),
			P5: stats.NearestRank(values, 0.05), P95: stats.NearestRank(values, 0.95)}
		if ci := r.value.MeanInterval(); ci != nil {
			one.Low, one.High = ci.Low, ci.High
		}
		all = append(all, one)
	}
	return plots.Ranking(o.Name, s.about(), o.metric, all)
}

// drawings are the figures that explain the numbers: those for which there are rows.
func (s *Study) drawings() (out []drawing, err error) {
	draw := func(caption string, of func() (*canvas.Figure, error)) {
		if err != nil {
			return
		}
		f, e := of()
		switch {
		case errors.Is(e, plots.ErrNothing):
		case e != nil:
			err = e
		case f != nil:
			out = append(out, drawing{f, caption})
		}
	}
	if s.many() {
		return s.drawTables(func(*plots.Drawer) bool { return true })
	}
	draw("What each run cost, and when it was done", s.clouds)
	draw("Cumulative fraction of the runs by cost, finished or not", s.distributions)
	for _, o := range s.objectives {
		draw("Where the instance time went: "+o.Name, func() (*canvas.Figure, error) { return s.spending(o) })
	}
	if err != nil {
		return nil, err
	}
	runs, err := s.drawTables(func(d *plots.Drawer) bool { return d.Name == "layouts" || d.Name == "outages" })
	return append(out, runs...), err
}

// maxAlike is how many figures of a kind a page has.
const maxAlike = 6

// drawTables draws what the tables have rows for, by the drawers that are wanted.
func (s *Study) drawTables(wanted func(d *plots.Drawer) bool) (out []drawing, err error) {
	if s.set == nil {
		return nil, nil
	}
	for _, d := range plots.Drawers() {
		if !wanted(d) {
			continue
		}
		drawn, err := d.Draw(s.set)
		if errors.Is(err, plots.ErrNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, f := range drawn[:min(len(drawn), maxAlike)] {
			caption := d.Short
			if f.Name != "" {
				caption += ": " + f.Name
			}
			out = append(out, drawing{f.Figure, caption})
		}
	}
	return out, nil
}

func (s *Study) clouds() (*canvas.Figure, error) {
	var panels []plots.Clouds
	about, drawn, limit := s.about(), 0, maxDrawn
	for _, o := range s.objectives {
		limit = min(limit, maxDrawn/len(s.objectives)/max(len(o.Rows), 1))
	}
	for _, o := range s.objectives {
		one := plots.Clouds{Title: o.Name}
		for _, r := range o.Rows {
			n := float64(max(r.Finished, 1))
			c := plots.Cloud{PolicyResult: r.policy(), N: r.N, Finished: r.Finished, MetRuns: r.Met, MeanUSD: r.finishedUSD / n,
				MeanPercent: r.finishedPercent / n}
			for k := 0; k < len(r.points.kept); k += (len(r.points.kept) + limit - 1) / max(limit, 1) {
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

// maxDrawn is how many runs are drawn one by one.
const maxDrawn = 4000

// minShared is the least number of units of a policy for which their distribution is
// drawn: below, the band is wider than half of the figure.
const minShared = 8

// distributions draws those of the costs; nil if there are too few units.
func (s *Study) distributions() (*canvas.Figure, error) {
	var panels []plots.Samples
	units := 0
	for _, o := range s.objectives {
		one := plots.Samples{Title: o.Name}
		for _, r := range o.Rows {
			costs := r.points.sorted(func(p *point) float64 { return p.USD })
			one.Of = append(one.Of, plots.Sample{PolicyResult: r.policy(), Values: costs, Units: min(r.met.Independent(), len(costs))})
			units = max(units, r.met.Independent())
		}
		panels = append(panels, one)
	}
	if units < minShared {
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
		one := plots.Spending{PolicyResult: r.policy(), Hours: r.hours, Mean: r.perMillion / float64(r.N)}
		for i := range r.points.kept {
			one.PerMillion = append(one.PerMillion, r.points.kept[i].PerMillion)
		}
		all = append(all, one)
	}
	return plots.Spent(strings.TrimSpace(o.Name), s.about(), all)
}
