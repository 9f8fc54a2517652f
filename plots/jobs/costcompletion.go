package jobs

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// CostCompletion draws the mean completion time of the jobs against what the run cost, or against
// the GPU-hours held where nothing is paid: a point a run, and the mean of each policy.
// plots.ErrNothing if no run was of many jobs and has done any.
func CostCompletion(rows []results.Summary) (*canvas.Figure, error) {
	paid := false
	for i := range rows {
		paid = paid || rows[i].CostUSD > 0
	}
	axis, of := "GPU-hours held", func(s *results.Summary) float64 { return s.InstanceH }
	if paid {
		axis, of = "cost (USD)", func(s *results.Summary) float64 { return s.CostUSD }
	}
	p := canvas.NewPanel("", axis, "mean completion time (hours)")
	f := &canvas.Figure{Width: 5.2 * vg.Inch, Height: 4.2 * vg.Inch, Panels: [][]*plot.Plot{{p}}}
	p.Add(canvas.Grid())
	right, top := 0.0, 0.0
	for _, group := range byPolicy(rows) {
		var points plotter.XYs
		var mean plotter.XY
		for _, s := range group {
			at := plotter.XY{X: of(s), Y: *s.JCTMeanS / hour}
			if !drawable(at.X) || !drawable(at.Y) {
				return nil, fmt.Errorf("plots: run %d: %v at %v hours, want 0 to 1e12", s.Run, at.X, at.Y)
			}
			points = append(points, at)
			mean.X, mean.Y = mean.X+at.X/float64(len(group)), mean.Y+at.Y/float64(len(group))
			right, top = max(right, at.X), max(top, at.Y)
		}
		look := canvas.LookOf(group[0].Policy)
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: *canvas.RunPoint(look)})
		big := draw.GlyphStyle{Color: look.Color, Radius: 4.2, Shape: look.Shape}
		p.Add(&plotter.Scatter{XYs: plotter.XYs{mean}, GlyphStyle: big})
		f.Keys = append(f.Keys, canvas.Key{Text: group[0].Policy, Glyph: &big})
	}
	if len(f.Keys) == 0 {
		return nil, plots.ErrNothing
	}
	x, y := canvas.FitScale(max(right, 1e-3), 6, canvas.OneTwoFive(1e-4)), canvas.FitScale(max(top, 1e-3), 6, canvas.OneTwoFive(1e-4))
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, x.Up(right*1.03), x
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, y.Up(top*1.03), y
	f.Title = []string{"Cost against completion time", canvas.Label(rows[0].Scenario+", "+rows[0].Objective+": a small point a run, a large one the mean", canvas.MostAbout)}
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
