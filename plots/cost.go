package plots

import (
	"errors"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// CostObjective draws what each run cost against when it finished, in per cent
// of its objective: one panel an objective, one colour a policy. The mean of a
// policy's finished runs is an outline with its name and how many of its
// runs met the objective. Runs that did not finish are crosses at the right
// edge, and not in the mean. The Pareto front joins the means that no other is
// below and to the left of; policies that know the future and those with runs that
// did not finish are not on it. Of more than 24 objectives the first are drawn, and
// of more than 8,000 runs every n-th; the figure says so.
func CostObjective(rows []results.Summary) (*Figure, error) {
	if len(rows) == 0 {
		return nil, errors.New("plots: no runs")
	}
	for i := range rows {
		if err := checkSummary(&rows[i]); err != nil {
			return nil, err
		}
	}
	all := groupsOf(rows)
	groups := all[:min(len(all), mostPanels)]
	every := (len(rows) + mostPoints - 1) / mostPoints
	var panels []*plot.Plot
	for _, g := range groups {
		panels = append(panels, g.panel(len(groups) > 1, every))
	}
	return sheet(costTitle(rows, len(all), every), costKeys(rows, groups), panels), nil
}

const mostPoints = 8000

func costTitle(rows []results.Summary, objectives, every int) []string {
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
		title = label(scenario, 50) + ": " + title
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
	if objectives > mostPanels {
		where += fmt.Sprintf("; the first %d of %d objectives", mostPanels, objectives)
	}
	return []string{title, where}
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

// policyText names a run's policy, and says when it is no fair competitor.
func policyText(s *results.Summary) string {
	if s.Oracle {
		return label(s.Policy, 30) + " (knows the future)"
	}
	return label(s.Policy, 30)
}

func costKeys(rows []results.Summary, groups []*group) []key {
	var keys []key
	for _, name := range policiesOf(rows) {
		first := slices.IndexFunc(rows, func(s results.Summary) bool { return s.Policy == name })
		keys = append(keys, key{text: policyText(&rows[first]), glyph: hollowPoint(LookOf(name))})
	}
	keys = append(keys, key{text: "one run", glyph: runPoint(greyDot)}, key{text: "mean of the finished runs", glyph: hollowPoint(greyDot)})
	if slices.ContainsFunc(rows, func(s results.Summary) bool { return !s.Finished }) {
		keys = append(keys, key{text: "did not finish", glyph: crossPoint(grey)})
	}
	if slices.ContainsFunc(groups, func(g *group) bool { _, _, far := g.times(); return !far }) {
		keys = append(keys, key{text: "objective", line: &objectiveLine})
	}
	return append(keys, key{text: "Pareto front of the means", line: &frontLine})
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

// relative is the finish of a run in per cent of its objective.
func relative(s *results.Summary) float64 { return 100 * (*s.FinishS / s.ObjectiveS) }

func (g *group) panel(titled bool, every int) *plot.Plot {
	title := ""
	if titled {
		title = label(g.objective, 60)
	}
	p := newPanel(title, "finish (% of the objective)", "cost (USD)")
	p.Add(grid())
	edge := g.ranges(p)
	if p.X.Max >= 100 {
		p.Add(line(plotter.XYs{{X: 100, Y: 0}, {X: 100, Y: p.Y.Max}}, objectiveLine))
	}
	m := means{list: g.marks(edge, every)}
	m.front = front(m.list)
	if m.front != nil {
		p.Add(line(m.front, frontLine))
	}
	for _, one := range m.list {
		p.Add(one.points...)
	}
	p.Add(m)
	return p
}

// marks are a policy's runs and their mean.
type marks struct {
	points []plot.Plotter
	mean   plotter.XY
	style  *draw.GlyphStyle
	text   string
	fair   bool // knows no future, and its mean is of all its runs
}

func (g *group) marks(edge float64, every int) []marks {
	var list []marks
	for _, policy := range policiesOf(g.rows) {
		list = append(list, g.policy(policy, edge, every))
	}
	return list
}

func (g *group) policy(name string, edge float64, every int) marks {
	var done, open plotter.XYs
	met, look, oracle := 0, LookOf(name), false
	for i := range g.rows {
		s := &g.rows[i]
		switch {
		case s.Policy != name:
			continue
		case s.Finished:
			done = append(done, plotter.XY{X: relative(s), Y: s.CostUSD})
		default:
			open = append(open, plotter.XY{X: edge, Y: s.CostUSD})
		}
		oracle = oracle || s.Oracle
		if s.Met {
			met++
		}
	}
	m := marks{fair: !oracle && len(open) == 0, text: fmt.Sprintf("%s, %d of %d met", label(name, 24), met, len(done)+len(open))}
	m.points = append(m.points, &plotter.Scatter{XYs: sample(done, every), GlyphStyle: *runPoint(look)}, &plotter.Scatter{XYs: sample(open, every), GlyphStyle: *crossPoint(look.Color)})
	if len(done) > 0 {
		m.mean, m.style = mean(done), hollowPoint(look)
	} else {
		m.mean = mean(open) // no point is drawn: the crosses are labelled
	}
	return m
}

// sample takes the first of every some points.
func sample(points plotter.XYs, every int) plotter.XYs {
	var some plotter.XYs
	for i := 0; i < len(points); i += every {
		some = append(some, points[i])
	}
	return some
}

func mean(points plotter.XYs) plotter.XY {
	var sum plotter.XY
	for _, p := range points {
		sum.X, sum.Y = sum.X+p.X, sum.Y+p.Y
	}
	n := float64(len(points))
	return plotter.XY{X: sum.X / n, Y: sum.Y / n}
}
