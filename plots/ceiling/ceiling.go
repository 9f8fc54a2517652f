// Package ceiling draws what policies cost beside how often they meet the objective, and
// what none can beat.
package ceiling

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/plots/canvas"
)

// Policy is what a policy does for an objective.
type Policy struct {
	Name      string
	Oracle    bool    // knows the future
	Met       float64 // share of the runs that meet the objective, 0 to 1
	Mean      float64 // cost of a run, USD
	Low, High float64 // 95 % interval of the mean; not a number: none
}

// Panel is one objective, with what no policy can beat.
type Panel struct {
	Title           string
	Of              []Policy
	USD             float64 // least mean cost of meeting the objective wherever that is possible; not a number: nowhere
	CanMeet, OnSpot float64 // share of the runs in which a policy can meet it, and on spot alone
}

// most is the largest cost that can be drawn, USD.
const most = 1e12

var (
	boundLine = draw.LineStyle{Color: canvas.Grey, Width: 1.4}
	spotLine  = draw.LineStyle{Color: canvas.Grey, Width: 1, Dashes: []vg.Length{2, 2}}
)

// Costs draws the mean cost of each policy, with its 95 % interval, against the share of
// the runs that meet the objective: a panel an objective, the bound as a line across, and
// the shares that no policy can exceed as lines upright. What is worth having is low and
// on the right. Of more than 24 panels the first are drawn, and the figure says so.
// Numbers that cannot be drawn are an error.
func Costs(name, about string, panels []Panel) (*canvas.Figure, error) {
	if len(panels) > canvas.MostPanels {
		about += fmt.Sprintf("; the first %d of %d objectives", canvas.MostPanels, len(panels))
		panels = panels[:canvas.MostPanels]
	}
	var drawn []*plot.Plot
	var keys []canvas.Key
	seen := map[string]bool{}
	for i := range panels {
		x := &panels[i]
		if err := x.check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", canvas.Label(x.Title, 60), err)
		}
		for k := range x.Of {
			if p := &x.Of[k]; !seen[p.Name] {
				seen[p.Name] = true
				keys = append(keys, canvas.Key{Text: p.text(), Glyph: p.point()})
			}
		}
		drawn = append(drawn, x.panel())
	}
	keys = append(keys, canvas.Key{Text: "no policy that meets it wherever that is possible costs less", Line: &boundLine},
		canvas.Key{Text: "no policy on spot alone meets it more often", Line: &spotLine})
	return canvas.NewSheet([]string{canvas.Label(name, 90), canvas.Label(about, canvas.MostAbout)}, keys, drawn), nil
}

func (p *Policy) text() string {
	if p.Oracle {
		return canvas.Label(p.Name, 30) + " (knows the future)"
	}
	return canvas.Label(p.Name, 30)
}

func (p *Policy) point() *draw.GlyphStyle {
	look := canvas.LookOf(p.Name)
	return &draw.GlyphStyle{Color: look.Color, Radius: 4, Shape: canvas.Ringed{Shape: look.Shape}}
}

func (x *Panel) check() error {
	for _, p := range x.Of {
		if !(p.Met >= 0 && p.Met <= 1 && p.Mean >= 0 && p.Mean <= most) {
			return fmt.Errorf("%s: %v USD, met in %v of the runs, want 0 to %g and 0 to 1", canvas.Label(p.Name, 60), p.Mean, p.Met, most)
		}
		if none := math.IsNaN(p.Low) && math.IsNaN(p.High); !none && !(p.Low >= -most && p.Low <= p.High && p.High <= most) {
			return fmt.Errorf("%s: interval %v to %v, want ascending numbers up to %g", canvas.Label(p.Name, 60), p.Low, p.High, most)
		}
	}
	if !(x.CanMeet >= 0 && x.CanMeet <= 1 && x.OnSpot >= 0 && x.OnSpot <= 1) || !math.IsNaN(x.USD) && !(x.USD >= 0 && x.USD <= most) {
		return fmt.Errorf("bound %v USD in %v of the runs, %v on spot alone, want 0 to %g and 0 to 1", x.USD, x.CanMeet, x.OnSpot, most)
	}
	return nil
}

func (x *Panel) panel() *plot.Plot {
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
			style := canvas.LookOf(one.Name).Line()
			style.Dashes, style.Width = nil, 1.1
			p.Add(canvas.Line(plotter.XYs{{X: 100 * one.Met, Y: max(one.Low, 0)}, {X: 100 * one.Met, Y: one.High}}, style))
		}
		p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: 100 * one.Met, Y: one.Mean}}, GlyphStyle: *one.point()})
	}
	return p
}
