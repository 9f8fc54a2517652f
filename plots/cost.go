package plots

import (
	"errors"
	"fmt"
	"slices"

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
	panels, about = limited(panels, about, "objectives")
	names, common := titles(panels, func(p Clouds) string { return p.Title }, canvas.PanelWidth(len(panels)))
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
	title := "cost and objective"
	if all := firsts(each(rows, func(s results.Summary) string { return s.Scenario })); len(all) == 1 && all[0] != "" {
		title = canvas.Label(all[0], 50) + ": " + title
	}
	where := Markets(each(rows, func(s results.Summary) string { return s.Market }))
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

func groupsOf(rows []results.Summary) (groups []group) {
	for i := range rows {
		s := &rows[i]
		at := slices.IndexFunc(groups, func(g group) bool { return g.scenario == s.Scenario && g.objective == s.Objective })
		if at < 0 {
			at, groups = len(groups), append(groups, group{scenario: s.Scenario, objective: s.Objective})
		}
		groups[at].rows = append(groups[at].rows, *s)
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
	return firsts(each(rows, func(s results.Summary) string { return s.Policy }))
}
