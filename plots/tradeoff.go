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

var _ = register(&Drawer{Name: "cost-completion", File: "cost-completion", Short: "Mean completion time of the jobs against cost",
	Long: "Draws the mean completion time of the jobs against the cost of the run, or against GPU-hours where nothing is paid: all runs in DIR.",
	Draw: func(set *results.Set) ([]Named, error) { return alone(CostCompletion(set.Summaries)) }})

var _ = register(&Drawer{Name: "cost-lateness", Short: "Missed deadlines of the jobs against cost",
	Long: `Draws the share of the jobs that miss their deadline against the cost of a GPU-hour of training that counts: the
mean of all runs of each policy in DIR, a folder of marigram run or of a complete sweep.`,
	Draw: func(set *results.Set) ([]Named, error) { return alone(CostLateness(set.Summaries)) }})

// CostCompletion draws the mean completion time of the jobs against what the run cost, or against
// the GPU-hours held where nothing is paid: a point a run, and the mean of each policy.
// ErrNothing if no run was of many jobs and has done any.
func CostCompletion(rows []results.Summary) (*canvas.Figure, error) {
	paid := false
	for i := range rows {
		paid = paid || rows[i].CostUSD > 0
	}
	c := tradeoff{x: "GPU-hours held", y: "mean completion time (hours)", title: "Cost against completion time", small: true,
		at: func(s *results.Summary) plotter.XY { return plotter.XY{X: s.InstanceH, Y: *s.JCTMeanS / hour} }}
	if paid {
		c.x, c.at = "cost (USD)", func(s *results.Summary) plotter.XY { return plotter.XY{X: s.CostUSD, Y: *s.JCTMeanS / hour} }
	}
	if len(rows) > 0 {
		c.about = rows[0].Scenario + ", " + rows[0].Objective + ": a small point a run, a large one the mean"
	}
	return c.draw(rows)
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
	c := tradeoff{x: "cost of a GPU-hour of training (USD)", y: "jobs that miss their deadline (%)", title: "Cost against lateness",
		at: func(s *results.Summary) plotter.XY {
			return plotter.XY{X: s.CostUSD / s.UsefulH, Y: 100 * (1 - float64(s.Punctual)/float64(s.Deadlines))}
		}}
	if len(with) > 0 {
		c.about = fmt.Sprintf("%s: means of %d runs", with[0].Scenario, len(with))
	}
	return c.draw(with)
}

// tradeoff is a panel with a point a run.
type tradeoff struct {
	title, about, x, y string
	at                 func(*results.Summary) plotter.XY
	small              bool // draws the runs, too, not the means alone
}

func (c *tradeoff) draw(rows []results.Summary) (*canvas.Figure, error) {
	p := canvas.NewPanel("", c.x, c.y)
	f := &canvas.Figure{Width: 5.2 * vg.Inch, Height: 4.2 * vg.Inch, Panels: [][]*plot.Plot{{p}}}
	p.Add(canvas.Grid())
	right, top := 0.0, 0.0
	for _, group := range byPolicy(rows) {
		var points plotter.XYs
		var mean plotter.XY
		for _, s := range group {
			at := c.at(s)
			if !drawable(at.X) || !drawable(at.Y) {
				return nil, fmt.Errorf("plots: run %d: %v at %v, want 0 to 1e12", s.Run, at.X, at.Y)
			}
			points = append(points, at)
			mean.X, mean.Y = mean.X+at.X/float64(len(group)), mean.Y+at.Y/float64(len(group))
			if c.small {
				right, top = max(right, at.X), max(top, at.Y)
			}
		}
		right, top = max(right, mean.X), max(top, mean.Y)
		style := canvas.StyleOf(group[0].Policy)
		if c.small {
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: *canvas.RunPoint(style)})
		}
		big := draw.GlyphStyle{Color: style.Color, Radius: 4.2, Shape: style.Shape}
		p.Add(&plotter.Scatter{XYs: plotter.XYs{mean}, GlyphStyle: big})
		f.Keys = append(f.Keys, canvas.Key{Text: group[0].Policy, Glyph: &big})
	}
	if len(f.Keys) == 0 {
		return nil, ErrNothing
	}
	x, y := canvas.FitScale(max(right, 1e-3), 6, canvas.OneTwoFive(1e-4)), canvas.FitScale(max(top, 1e-3), 6, canvas.OneTwoFive(1e-4))
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, x.Up(right*1.03), x
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, y.Up(top*1.03), y
	f.Title = []string{c.title, canvas.Label(c.about, canvas.MaxAbout)}
	return f, nil
}

// byPolicy groups the runs of many jobs in which any were done, in the order of the policies.
func byPolicy(rows []results.Summary) (groups [][]*results.Summary) {
	find := map[string]int{}
	for i := range rows {
		s := &rows[i]
		if s.JCTMeanS == nil {
			continue
		}
		at, has := find[s.Policy]
		if !has {
			at = len(groups)
			find[s.Policy], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], s)
	}
	return groups
}
