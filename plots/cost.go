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

var _ = register(&Drawer{Name: "cost-objective", File: "cost-objective",
	Short: "What each run cost, and when it was done",
	Long: `Draws what each run cost against when it finished, in per cent of its objective, with the mean of each policy
and the Pareto front of the means.`,
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
	tellApart(inPanels(panels, func(p *Clouds) []Cloud { return p.Of },
		func(c *Cloud) *PolicyResult { return &c.PolicyResult }))
	var drawn []*plot.Plot
	keys := costKeys(panels)
	joined := false
	for i := range panels {
		panel, front := panels[i].panel(names[i])
		drawn = append(drawn, panel)
		joined = joined || front
	}
	if joined {
		keys = append(keys, canvas.Key{Text: "Pareto front of the means", Line: &frontLine})
	}
	return canvas.NewSheet([]string{canvas.Label(name, 90), alsoSays(about, common)}, keys, drawn), nil
}

const maxPoints = 8000

func costTitle(rows []results.Summary, every int) []string {
	title := "cost and objective"
	scenarios := firsts(each(rows, func(s results.Summary) string { return s.Scenario }))
	if len(scenarios) == 1 && scenarios[0] != "" {
		title = canvas.Label(scenarios[0], 50) + ": " + title
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
	for _, group := range groupsOf(rows) {
		panel := Clouds{Title: group.objective}
		for _, policy := range policiesOf(group.rows) {
			panel.Of = append(panel.Of, group.cloud(policy, every))
		}
		panels = append(panels, panel)
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
		run := &rows[i]
		at := slices.IndexFunc(groups, func(g group) bool {
			return g.scenario == run.Scenario && g.objective == run.Objective
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{scenario: run.Scenario, objective: run.Objective})
		}
		groups[at].rows = append(groups[at].rows, *run)
	}
	return groups
}

func (g *group) cloud(policy string, every int) Cloud {
	cloud := Cloud{PolicyResult: PolicyResult{Policy: policy}}
	var asked *float64
	for i := range g.rows {
		run := &g.rows[i]
		if run.Policy != policy {
			continue
		}
		point := runPointOf(run)
		nth := cloud.N - cloud.Finished // of the runs that did not finish
		if run.Finished {
			nth = cloud.Finished
			cloud.Finished++
			cloud.MeanUSD += point.USD
			cloud.MeanPercent += point.Percent
		}
		if nth%every == 0 {
			cloud.Runs = append(cloud.Runs, point)
		}
		cloud.N++
		cloud.Oracle = cloud.Oracle || run.Oracle
		cloud.ManyJobs = run.ManyJobs()
		asked = run.ObjectiveShare
		if run.Met {
			cloud.MetRuns++
		}
	}
	cloud.MeanUSD /= float64(cloud.Finished)
	cloud.MeanPercent /= float64(cloud.Finished)
	cloud.Met = float64(cloud.MetRuns) / float64(cloud.N)
	cloud.Misses = !intervals.Meets(cloud.Met, asked)
	return cloud
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
