package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
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
	tellApart(inPanels(panels, func(b *Bound) []PolicyCost { return b.Of },
		func(c *PolicyCost) *PolicyResult { return &c.PolicyResult }))
	var drawn []*plot.Plot
	var keys []canvas.Key
	seen := map[string]bool{}
	for i := range panels {
		bound := &panels[i]
		if err := bound.check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", canvas.Label(bound.Title, 60), err)
		}
		for k := range bound.Of {
			policy := &bound.Of[k]
			if !seen[policy.Policy] {
				seen[policy.Policy] = true
				keys = append(keys, canvas.Key{Text: policy.text(), Glyph: policy.point(4)})
			}
		}
		drawn = append(drawn, bound.panel())
	}
	keys = append(keys,
		canvas.Key{Text: "no policy that meets it wherever that is possible costs less", Line: &boundLine},
		canvas.Key{Text: "no policy on spot alone meets it more often", Line: &spotLine})
	return canvas.NewSheet([]string{canvas.Label(name, 90), canvas.Label(about, canvas.MaxAbout)}, keys, drawn), nil
}

func (b *Bound) check() error {
	for _, policy := range b.Of {
		name := canvas.Label(policy.Policy, 60)
		if !isShare(policy.Met) || !drawable(policy.Mean) {
			return fmt.Errorf("%s: %v USD, met in %v of the runs, want 0 to %g and 0 to 1",
				name, policy.Mean, policy.Met, maxNumber)
		}
		if err := checkInterval(policy.Low, policy.High); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if !isShare(b.CanMeet) || !isShare(b.OnSpot) || !math.IsNaN(b.USD) && !drawable(b.USD) {
		return fmt.Errorf("bound %v USD in %v of the runs, %v on spot alone, want 0 to %g and 0 to 1",
			b.USD, b.CanMeet, b.OnSpot, maxNumber)
	}
	return nil
}

func (b *Bound) panel() *plot.Plot {
	panel := canvas.NewPanel(canvas.Label(b.Title, 60), "runs that meet the objective (%)", "cost of a run (USD)")
	top := b.top()
	canvas.SetAxis(&panel.X, -3, 103, canvas.FitScale(100, 5, canvas.OneTwoFive(1)))
	canvas.SetAxis(&panel.Y, 0, top*1.05, canvas.FitScale(top, 5, canvas.OneTwoFive(1e-7)))
	panel.Add(canvas.Grid(), canvas.Vertical(100*b.OnSpot, 0, panel.Y.Max, spotLine))
	if b.CanMeet < 1 {
		panel.Add(canvas.Vertical(100*b.CanMeet, 0, panel.Y.Max, boundLine))
	}
	if !math.IsNaN(b.USD) {
		panel.Add(canvas.Horizontal(b.USD, -3, 100*b.CanMeet, boundLine))
	}
	for i := range b.Of {
		policy := &b.Of[i]
		met := 100 * policy.Met
		if policy.Low <= policy.High {
			style := policy.styles.Of(policy.Policy).Line()
			style.Dashes = nil
			style.Width = 1.1
			panel.Add(canvas.Vertical(met, max(policy.Low, 0), policy.High, style))
		}
		panel.Add(glyphAt(met, policy.Mean, *policy.point(4)))
	}
	return panel
}

// top is the largest number of the panel, in USD.
func (b *Bound) top() float64 {
	top := 1e-6
	for _, policy := range b.Of {
		top = max(top, policy.Mean)
		if policy.Low <= policy.High {
			top = max(top, policy.High)
		}
	}
	if !math.IsNaN(b.USD) {
		top = max(top, b.USD)
	}
	return top
}
