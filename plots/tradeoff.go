package plots

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "cost-completion", File: "cost-completion",
	Short: "Mean completion time of the jobs against cost",
	Long: "Draws the mean completion time of the jobs against the cost of the run, or against GPU-hours where " +
		"nothing is paid: all runs in DIR.",
	Draw: func(set *results.Set) ([]Named, error) { return alone(CostCompletion(set.Summaries)) }})

var _ = register(&Drawer{Name: "cost-lateness", Short: "Missed deadlines of the jobs against cost",
	Long: `Draws the share of the jobs that miss their deadline against the cost of a GPU-hour of training that counts:
the mean of all runs of each policy in DIR, a folder of marigram run or of a complete sweep.`,
	Draw: func(set *results.Set) ([]Named, error) { return alone(CostLateness(set.Summaries)) }})

// CostCompletion draws the mean completion time of the jobs against what the run cost, or against
// the GPU-hours held where nothing is paid: a point a run, and the mean of each policy.
// ErrNothing if no run was of many jobs and has done any.
func CostCompletion(rows []results.Summary) (*canvas.Figure, error) {
	paid := false
	for i := range rows {
		paid = paid || rows[i].CostUSD > 0
	}
	figure := tradeoff{x: "GPU-hours held", y: "mean completion time (hours)", title: "Cost against completion time",
		small: true}
	figure.at = func(s *results.Summary) plotter.XY { return plotter.XY{X: s.InstanceH, Y: *s.JCTMeanS / hour} }
	if paid {
		figure.x = "cost (USD)"
		figure.at = func(s *results.Summary) plotter.XY { return plotter.XY{X: s.CostUSD, Y: *s.JCTMeanS / hour} }
	}
	if len(rows) > 0 {
		figure.about = rows[0].Scenario + ", " + rows[0].Objective + ": a small point a run, a large one the mean"
	}
	return figure.draw(rows)
}

// CostLateness draws the share of the jobs that miss their deadline against the cost of a GPU-hour of
// training that counts: the mean of the runs of each policy. ErrNothing if no run was of many jobs with deadlines.
func CostLateness(rows []results.Summary) (*canvas.Figure, error) {
	var with []results.Summary
	for i := range rows {
		if rows[i].Deadlines > 0 && rows[i].UsefulH > 0 {
			with = append(with, rows[i])
		}
	}
	figure := tradeoff{
		x:     "cost of a GPU-hour of training (USD)",
		y:     "jobs that miss their deadline (%)",
		title: "Cost against lateness",
		at: func(s *results.Summary) plotter.XY {
			return plotter.XY{X: s.CostUSD / s.UsefulH, Y: 100 * (1 - float64(s.Punctual)/float64(s.Deadlines))}
		},
	}
	if len(with) > 0 {
		figure.about = fmt.Sprintf("%s: means of %d runs", with[0].Scenario, len(with))
	}
	return figure.draw(with)
}

// tradeoff is a panel with a point a run.
type tradeoff struct {
	title, about, x, y string
	at                 func(*results.Summary) plotter.XY
	small              bool // draws the runs, too, not the means alone
}

func (c *tradeoff) draw(rows []results.Summary) (*canvas.Figure, error) {
	panel := canvas.NewPanel("", c.x, c.y)
	figure := &canvas.Figure{Width: 5.2 * vg.Inch, Height: 4.2 * vg.Inch, Panels: [][]*plot.Plot{{panel}}}
	panel.Add(canvas.Grid())
	right := 0.0
	top := 0.0
	styles := canvas.Apart(policiesOf(rows))
	for _, group := range byPolicy(rows) {
		var points plotter.XYs
		var mean plotter.XY
		for _, run := range group {
			point := c.at(run)
			if !drawable(point.X) || !drawable(point.Y) {
				return nil, fmt.Errorf("plots: run %d: %v at %v, want 0 to 1e12", run.Run, point.X, point.Y)
			}
			points = append(points, point)
			mean.X += point.X / float64(len(group))
			mean.Y += point.Y / float64(len(group))
			if c.small {
				right = max(right, point.X)
				top = max(top, point.Y)
			}
		}
		right = max(right, mean.X)
		top = max(top, mean.Y)
		style := styles.Of(group[0].Policy)
		if c.small {
			panel.Add(&plotter.Scatter{XYs: points, GlyphStyle: *canvas.RunPoint(style)})
		}
		big := draw.GlyphStyle{Color: style.Color, Radius: 4.2, Shape: style.Shape}
		panel.Add(&plotter.Scatter{XYs: plotter.XYs{mean}, GlyphStyle: big})
		figure.Keys = append(figure.Keys, canvas.Key{Text: group[0].Policy, Glyph: &big})
	}
	if len(figure.Keys) == 0 {
		return nil, ErrNothing
	}
	across := canvas.FitScale(max(right, 1e-3), 6, canvas.OneTwoFive(1e-4))
	up := canvas.FitScale(max(top, 1e-3), 6, canvas.OneTwoFive(1e-4))
	canvas.SetAxis(&panel.X, 0, across.Up(right*1.03), across)
	canvas.SetAxis(&panel.Y, 0, up.Up(top*1.03), up)
	figure.Title = []string{c.title, canvas.Label(c.about, canvas.MaxAbout)}
	return figure, nil
}

// byPolicy groups the runs of many jobs in which any were done, in the order of the policies.
func byPolicy(rows []results.Summary) (groups [][]*results.Summary) {
	find := map[string]int{}
	for i := range rows {
		run := &rows[i]
		if run.JCTMeanS == nil {
			continue
		}
		at, has := find[run.Policy]
		if !has {
			at = len(groups)
			find[run.Policy] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], run)
	}
	return groups
}
