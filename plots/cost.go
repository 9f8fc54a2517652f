package plots

import (
	"errors"
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
)

// CostObjective draws what each run cost against when it finished (Costs). Of more than
// 24 objectives the first are drawn, and of more than 8,000 runs every n-th; the figure
// says so.
func CostObjective(rows []results.Summary) (*canvas.Figure, error) {
	if len(rows) == 0 {
		return nil, errors.New("plots: no runs")
	}
	for i := range rows {
		if err := checkSummary(&rows[i]); err != nil {
			return nil, err
		}
	}
	every := (len(rows) + mostPoints - 1) / mostPoints
	title := costTitle(rows, every)
	return Costs(title[0], title[1], cloudsOf(rows, every))
}

// Costs draws what each run cost against when it finished, in per cent of its
// objective: a panel an objective, a look a policy. The mean of a policy's finished
// runs is its point with its name and how many of its runs met the objective; that of
// a policy that misses it is faded and hollow. Runs that did not finish are crosses at
// the right edge, and not in the mean. The Pareto front joins the means that no other
// is below and to the left of; policies that know the future, that miss the objective
// or that have runs that did not finish are not on it. Of more than 24 panels the
// first are drawn, and the figure says so. ErrNothing without any.
func Costs(name, about string, panels []Clouds) (*canvas.Figure, error) {
	if len(panels) == 0 {
		return nil, ErrNothing
	}
	if len(panels) > canvas.MostPanels {
		about += fmt.Sprintf("; the first %d of %d objectives", canvas.MostPanels, len(panels))
		panels = panels[:canvas.MostPanels]
	}
	names := make([]string, len(panels))
	for i := range panels {
		names[i] = panels[i].Title
	}
	names, common := titles(names, canvas.PanelWidth(len(panels)))
	if len(panels) == 1 {
		names[0] = ""
	}
	var drawn []*plot.Plot
	keys := costKeys(panels)
	joined := false
	for i := range panels {
		p, front := panels[i].panel(names[i])
		drawn, joined = append(drawn, p), joined || front
	}
	if joined {
		keys = append(keys, canvas.Key{Text: "Pareto front of the means", Line: &frontLine})
	}
	return canvas.NewSheet([]string{canvas.Label(name, 90), alsoSays(about, common)}, keys, drawn), nil
}

const mostPoints = 8000

func costTitle(rows []results.Summary, every int) []string {
	same := func(name func(*results.Summary) string) string {
		for i := range rows {
			if name(&rows[i]) != name(&rows[0]) {
				return ""
			}
		}
		return name(&rows[0])
	}
	title := "cost and objective"
	if scenario := same(func(s *results.Summary) string { return s.Scenario }); scenario != "" {
		title = canvas.Label(scenario, 50) + ": " + title
	}
	where := Markets(func(yield func(string) bool) {
		for i := range rows {
			if !yield(rows[i].Market) {
				return
			}
		}
	})
	where += fmt.Sprintf("; %d runs", len(rows))
	if every > 1 {
		where += fmt.Sprintf(", one in %d drawn", every)
	}
	return []string{title, where}
}

func costKeys(panels []Clouds) []canvas.Key {
	var keys []canvas.Key
	seen, open, miss, near := map[string]bool{}, false, false, false
	for i := range panels {
		for k := range panels[i].Of {
			c := &panels[i].Of[k]
			open, miss = open || c.Finished < c.N, miss || c.Misses
			if !seen[c.Policy] {
				seen[c.Policy] = true
				one := Standing{Policy: c.Policy, Oracle: c.Oracle}
				keys = append(keys, canvas.Key{Text: one.text(), Glyph: one.point(4)})
			}
		}
		_, _, far := panels[i].times()
		near = near || !far
	}
	keys = append(keys, canvas.Key{Text: "one run", Glyph: canvas.RunPoint(canvas.GreyDot)},
		canvas.Key{Text: "mean of the finished runs", Glyph: canvas.GreyPoint(4)})
	if miss {
		keys = append(keys, missesKey())
	}
	if open {
		keys = append(keys, canvas.Key{Text: "did not finish", Glyph: canvas.CrossPoint(canvas.Grey)})
	}
	if near {
		keys = append(keys, canvas.Key{Text: "objective", Line: &objectiveLine})
	}
	return keys
}
