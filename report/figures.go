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
	for _, row := range o.Rows {
		if row.value.Units() == 0 {
			continue
		}
		values := row.points.sorted(func(p *point) float64 { return p.value })
		one := plots.Ranked{
			PolicyResult: row.policy(),
			Mean:         row.value.Mean(),
			Low:          math.NaN(),
			High:         math.NaN(),
			P5:           stats.NearestRank(values, 0.05),
			P95:          stats.NearestRank(values, 0.95),
		}
		if interval := row.value.MeanInterval(); interval != nil {
			one.Low = interval.Low
			one.High = interval.High
		}
		all = append(all, one)
	}
	return plots.Ranking(o.Name, s.about(), o.metric, all)
}

// drawings are the figures that explain the numbers: those for which there are rows.
func (s *Study) drawings() (out []drawing, err error) {
	if s.many() {
		return s.drawTables(func(*plots.Drawer) bool { return true })
	}
	type captioned struct {
		caption string
		draw    func() (*canvas.Figure, error)
	}
	all := []captioned{
		{"What each run cost, and when it was done", s.clouds},
		{"Cumulative fraction of the runs by cost, finished or not", s.distributions},
	}
	for _, objective := range s.objectives {
		draw := func() (*canvas.Figure, error) { return s.spending(objective) }
		all = append(all, captioned{"Where the instance time went: " + objective.Name, draw})
	}
	for _, one := range all {
		figure, err := one.draw()
		if err != nil && !errors.Is(err, plots.ErrNothing) {
			return nil, err
		}
		if figure != nil {
			out = append(out, drawing{figure, one.caption})
		}
	}
	runs, err := s.drawTables(func(d *plots.Drawer) bool { return d.Name == "layouts" || d.Name == "outages" })
	return append(out, runs...), err
}

// maxAlike is how many figures of a kind a page has.
const maxAlike = 6

// drawTables draws what the tables have rows for, by the drawers that are wanted.
func (s *Study) drawTables(wanted func(drawer *plots.Drawer) bool) (out []drawing, err error) {
	if s.set == nil {
		return nil, nil
	}
	for _, drawer := range plots.Drawers() {
		if !wanted(drawer) {
			continue
		}
		drawn, err := drawer.Draw(s.set)
		if errors.Is(err, plots.ErrNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, one := range drawn[:min(len(drawn), maxAlike)] {
			caption := drawer.Short
			if one.Name != "" {
				caption += ": " + one.Name
			}
			out = append(out, drawing{one.Figure, caption})
		}
	}
	return out, nil
}

func (s *Study) clouds() (*canvas.Figure, error) {
	var panels []plots.Clouds
	about := s.about()
	drawn := 0
	limit := maxDrawn // of a policy's runs
	for _, objective := range s.objectives {
		limit = min(limit, maxDrawn/len(s.objectives)/max(len(objective.Rows), 1))
	}
	for _, objective := range s.objectives {
		panel := plots.Clouds{Title: objective.Name}
		for _, row := range objective.Rows {
			finished := float64(max(row.Finished, 1))
			cloud := plots.Cloud{
				PolicyResult: row.policy(),
				N:            row.N,
				Finished:     row.Finished,
				MetRuns:      row.Met,
				MeanUSD:      row.finishedUSD / finished,
				MeanPercent:  row.finishedPercent / finished,
			}
			kept := row.points.kept
			for k := 0; k < len(kept); k += (len(kept) + limit - 1) / max(limit, 1) {
				cloud.Runs = append(cloud.Runs, kept[k].drawn())
			}
			drawn += len(cloud.Runs)
			panel.Of = append(panel.Of, cloud)
		}
		panels = append(panels, panel)
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
	for _, objective := range s.objectives {
		one := plots.Samples{Title: objective.Name}
		for _, row := range objective.Rows {
			costs := row.points.sorted(func(run *point) float64 { return run.USD })
			independent := row.met.Independent()
			one.Of = append(one.Of,
				plots.Sample{PolicyResult: row.policy(), Values: costs, Units: min(independent, len(costs))})
			units = max(units, independent)
		}
		panels = append(panels, one)
	}
	if units < minShared {
		return nil, nil
	}
	about := "bands: Dvoretzky-Kiefer-Wolfowitz, 95 %, n = " + s.unitCount()
	return plots.CDF("cost", about, "cost of a run (USD)", panels)
}

// spending draws where the instance time of an objective's runs went; nil where the job
// is not to train all its samples, or some run trained none.
func (s *Study) spending(o *objective) (*canvas.Figure, error) {
	var all []plots.Spending
	for _, row := range o.Rows {
		if !row.whole {
			return nil, nil
		}
		one := plots.Spending{PolicyResult: row.policy(), Hours: row.hours, Mean: row.perMillion / float64(row.N)}
		for i := range row.points.kept {
			one.PerMillion = append(one.PerMillion, row.points.kept[i].PerMillion)
		}
		all = append(all, one)
	}
	return plots.Spent(strings.TrimSpace(o.Name), s.about(), all)
}
