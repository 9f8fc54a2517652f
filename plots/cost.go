package plots

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "cost-objective", File: "cost-objective", Short: "What each run cost, and when it was done",
	Long: `Draws what each run cost against when it finished, in per cent of its objective, with the mean of each policy and the
Pareto front of the means.`,
	Draw: func(set *results.Set) ([]Named, error) {
		if manyJobs(set) {
			return nil, ErrNothing
		}
		return alone(CostObjective(set.Summaries))
	}})

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
	every := (len(rows) + maxPoints - 1) / maxPoints
	title := costTitle(rows, every)
	return Costs(title[0], title[1], cloudsOf(rows, every))
}

// Costs draws what each run cost against when it finished, in per cent of its
// objective: a panel an objective, a style a policy. The mean of a policy's finished
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
	if len(panels) > canvas.MaxPanels {
		about += fmt.Sprintf("; the first %d of %d objectives", canvas.MaxPanels, len(panels))
		panels = panels[:canvas.MaxPanels]
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

const maxPoints = 8000

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

// cloudsOf gathers runs by objective and policy and keeps every n-th to be drawn.
func cloudsOf(rows []results.Summary, every int) []Clouds {
	var panels []Clouds
	for _, g := range groupsOf(rows) {
		one := Clouds{Title: g.objective}
		for _, policy := range policiesOf(g.rows) {
			one.Of = append(one.Of, g.cloud(policy, every))
		}
		panels = append(panels, one)
	}
	return panels
}

// group is the runs of one objective.
type group struct {
	scenario, objective string
	rows                []results.Summary
}

func groupsOf(rows []results.Summary) []*group {
	type id struct{ scenario, objective string }
	var groups []*group
	find := make(map[id]*group)
	for i := range rows {
		at := id{rows[i].Scenario, rows[i].Objective}
		if find[at] == nil {
			find[at] = &group{scenario: at.scenario, objective: at.objective}
			groups = append(groups, find[at])
		}
		find[at].rows = append(find[at].rows, rows[i])
	}
	return groups
}

func (g *group) cloud(policy string, every int) Cloud {
	c := Cloud{PolicyResult: PolicyResult{Policy: policy}}
	var asked *float64
	done, open := 0, 0
	for i := range g.rows {
		s := &g.rows[i]
		if s.Policy != policy {
			continue
		}
		point := runPointOf(s)
		c.N++
		c.Oracle, c.ManyJobs, asked = c.Oracle || s.Oracle, s.ManyJobs(), s.ObjectiveShare
		if s.Met {
			c.MetRuns++
		}
		nth := &open
		if s.Finished {
			c.Finished++
			c.MeanUSD, c.MeanPercent = c.MeanUSD+point.USD, c.MeanPercent+point.Percent
			nth = &done
		}
		if *nth%every == 0 {
			c.Runs = append(c.Runs, point)
		}
		*nth++
	}
	c.MeanUSD, c.MeanPercent = c.MeanUSD/float64(c.Finished), c.MeanPercent/float64(c.Finished)
	c.Met = float64(c.MetRuns) / float64(c.N)
	c.Misses = !intervals.Meets(c.Met, asked)
	return c
}

// runPointOf is a run as a point.
func runPointOf(s *results.Summary) RunPoint {
	p := RunPoint{USD: s.CostUSD, Finished: s.Finished}
	if s.Finished {
		p.Percent = 100 * (*s.FinishS / s.ObjectiveS)
	}
	return p
}

func policiesOf(rows []results.Summary) []string {
	var names []string
	seen := make(map[string]bool)
	for i := range rows {
		if !seen[rows[i].Policy] {
			seen[rows[i].Policy] = true
			names = append(names, rows[i].Policy)
		}
	}
	return names
}
