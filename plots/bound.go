package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/plots/canvas"
)

// PolicyCost is what a policy costs and how often it meets an objective.
type PolicyCost struct {
	PolicyResult
	Mean      float64 // cost of a run, USD
	Low, High float64 // 95 % interval of the mean; not a number: none
}

// Bound is one objective, with what no policy can beat.
type Bound struct {
	Title           string
	Of              []PolicyCost
	USD             float64 // least mean cost of meeting the objective wherever that is possible; not a number: nowhere
	CanMeet, OnSpot float64 // share of the runs in which a policy can meet it, and on spot alone
}

var (
	boundLine = draw.LineStyle{Color: canvas.Grey, Width: 1.4}
	spotLine  = draw.LineStyle{Color: canvas.Grey, Width: 1, Dashes: []vg.Length{2, 2}}
)

// CostBound draws the mean cost of each policy, with its 95 % interval, against the share of
// the runs that meet the objective: a panel an objective, the bound as a line across, and
// the shares that no policy can exceed as lines upright. Good policies are low and
// on the right. Of more than 24 panels the first are drawn, and the figure says so.
// Numbers that cannot be drawn are an error.
func CostBound(name, about string, panels []Bound) (*canvas.Figure, error) {
	panels, about = limited(panels, about, "objectives")
	var drawn []*plot.Plot
	var keys []canvas.Key
	seen := map[string]bool{}
	for i := range panels {
		x := &panels[i]
		if err := x.check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", canvas.Label(x.Title, 60), err)
		}
		for k := range x.Of {
			if p := &x.Of[k]; !seen[p.Policy] {
				seen[p.Policy] = true
				keys = append(keys, canvas.Key{Text: p.text(), Glyph: p.point(4)})
			}
		}
		drawn = append(drawn, x.panel())
	}
	keys = append(keys, canvas.Key{Text: "no policy that meets it wherever that is possible costs less", Line: &boundLine},
		canvas.Key{Text: "no policy on spot alone meets it more often", Line: &spotLine})
	return canvas.NewSheet([]string{canvas.Label(name, 90), canvas.Label(about, canvas.MaxAbout)}, keys, drawn), nil
}

func (x *Bound) check() error {
	for _, p := range x.Of {
		if !(p.Met >= 0 && p.Met <= 1 && p.Mean >= 0 && p.Mean <= maxNumber) {
			return fmt.Errorf("%s: %v USD, met in %v of the runs, want 0 to %g and 0 to 1", canvas.Label(p.Policy, 60), p.Mean, p.Met, maxNumber)
		}
		if err := checkInterval(p.Low, p.High); err != nil {
			return fmt.Errorf("%s: %w", canvas.Label(p.Policy, 60), err)
		}
	}
	if !(x.CanMeet >= 0 && x.CanMeet <= 1 && x.OnSpot >= 0 && x.OnSpot <= 1) || !math.IsNaN(x.USD) && !(x.USD >= 0 && x.USD <= maxNumber) {
		return fmt.Errorf("bound %v USD in %v of the runs, %v on spot alone, want 0 to %g and 0 to 1", x.USD, x.CanMeet, x.OnSpot, maxNumber)
	}
	return nil
}

func (x *Bound) panel() *plot.Plot {
	p := canvas.NewPanel(canvas.Label(x.Title, 60), "runs that meet the objective (%)", "cost of a run (USD)")
	top := 1e-6
	for _, one := range x.Of {
		top = max(top, one.Mean)
		if one.Low <= one.High {
			top = max(top, one.High)
		}
	}
	if !math.IsNaN(x.USD) {
		top = max(top, x.USD)
	}
	p.X.Min, p.X.Max, p.X.Tick.Marker = -3, 103, canvas.FitScale(100, 5, canvas.OneTwoFive(1))
	y := canvas.FitScale(top, 5, canvas.OneTwoFive(1e-7))
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, top*1.05, y
	p.Add(canvas.Grid())
	upright := func(share float64, style draw.LineStyle) {
		p.Add(canvas.Line(plotter.XYs{{X: 100 * share, Y: 0}, {X: 100 * share, Y: p.Y.Max}}, style))
	}
	upright(x.OnSpot, spotLine)
	if x.CanMeet < 1 {
		upright(x.CanMeet, boundLine)
	}
	if !math.IsNaN(x.USD) {
		p.Add(canvas.Line(plotter.XYs{{X: -3, Y: x.USD}, {X: 100 * x.CanMeet, Y: x.USD}}, boundLine))
	}
	for i := range x.Of {
		one := &x.Of[i]
		if one.Low <= one.High {
			style := canvas.StyleOf(one.Policy).Line()
			style.Dashes, style.Width = nil, 1.1
			p.Add(canvas.Line(plotter.XYs{{X: 100 * one.Met, Y: max(one.Low, 0)}, {X: 100 * one.Met, Y: one.High}}, style))
		}
		p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: 100 * one.Met, Y: one.Mean}}, GlyphStyle: *one.point(4)})
	}
	return p
}
