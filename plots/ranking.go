package plots

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ranked is the number that one policy is ranked by.
type Ranked struct {
	PolicyResult
	Mean      float64
	Low, High float64 // 95 % interval of the mean; not a number: none
	P5, P95   float64 // percentiles of the runs
}

// Ranking draws what policies are ranked by for one objective, the first on top:
// the mean, its 95 % interval, and where nine of ten runs lie. Those that miss the
// objective stand on grey, hollow, with how often they met it. ErrNothing without any.
func Ranking(objective, about string, by *results.Metric, all []Ranked) (*canvas.Figure, error) {
	if len(all) == 0 {
		return nil, ErrNothing
	}
	names := make([]string, len(all))
	for i := range all {
		if err := all[i].check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", canvas.Label(all[i].Policy, 60), err)
		}
		names[i] = all[i].Policy
	}
	mean := &draw.LineStyle{Color: canvas.Grey, Width: meanWidth}
	figure := &canvas.Figure{
		Width:  4.2 * vg.Inch,
		Title:  []string{canvas.Label(objective+": "+by.Title, 90), canvas.Label(about, canvas.MaxAbout)},
		Panels: [][]*plot.Plot{{rankingPanel(by, all, distinct(names, 24))}},
		Keys: []canvas.Key{
			{Text: "mean, 95 % interval", Line: mean, Glyph: canvas.GreyPoint(3)},
			{Text: "90 % of the runs", Line: &draw.LineStyle{Color: canvas.Grey, Width: 0.8}},
		},
	}
	if slices.ContainsFunc(all, func(r Ranked) bool { return r.Misses }) {
		figure.Keys = append(figure.Keys, missesKey())
	}
	figure.Height = figure.Head() + 0.5*vg.Inch + 16*vg.Length(len(all))
	return figure, nil
}

const meanWidth = vg.Length(2.6)

func (r *Ranked) check() error {
	for _, x := range []float64{r.Mean, r.P5, r.P95} {
		if !drawable(x) {
			return fmt.Errorf("%v, want 0 to %g", x, maxNumber)
		}
	}
	return checkInterval(r.Low, r.High)
}

// note is what stands next to the policy's mean.
func (r *Ranked) note(by *results.Metric) string {
	text := canvas.ShortNumber(r.Mean)
	if by.Unit == results.USD {
		text = units.USD(r.Mean)
	}
	if what := knows(r.Oracle, r.ManyJobs); what != "" {
		text += ", " + strings.Trim(what, " ()")
	}
	if r.Misses {
		text += ", met " + units.Percent(r.Met)
	}
	return text
}

func rankingPanel(by *results.Metric, all []Ranked, names []string) *plot.Plot {
	panel := canvas.NewPanel("", by.Title+" ("+by.Unit+")", "")
	top := 1e-6
	for i := range all {
		top = max(top, all[i].P95, all[i].Mean)
		if all[i].Low <= all[i].High {
			top = max(top, all[i].High)
		}
	}
	canvas.SetAxis(&panel.X, 0, top*1.02, canvas.FitScale(top, 5, canvas.OneTwoFive(1e-7)))
	panel.Add(canvas.Grid())
	var ticks plot.ConstantTicks
	for i := range all {
		ranked := &all[i]
		y := float64(len(all) - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: names[i]})
		if ranked.Misses {
			panel.Add(row{y, canvas.PaleGrey})
		}
		pen := ranked.line()
		pen.Dashes = nil
		pen.Width = 0.8
		panel.Add(canvas.Horizontal(y, ranked.P5, ranked.P95, pen))
		if ranked.Low <= ranked.High {
			pen.Width = meanWidth
			panel.Add(canvas.Horizontal(y, max(ranked.Low, 0), ranked.High, pen))
		}
		panel.Add(glyphAt(ranked.Mean, y, *ranked.point(3.4)), note{ranked, by, y})
	}
	canvas.SetAxis(&panel.Y, -0.7, float64(len(all))-0.3, ticks)
	return panel
}

// row is a row of a ranking over all its width.
type row struct {
	y    float64
	fill color.Color
}

// Plot implements plot.Plotter.
func (r row) Plot(c draw.Canvas, p *plot.Plot) {
	c.FillPolygon(r.fill, canvas.Box(c.Min.X, c.Y(p.Y.Norm(r.y-0.5)), c.Max.X, c.Y(p.Y.Norm(r.y+0.5))))
}

// note writes a policy's note to the right of what is drawn of it, or to the left
// where that has no room.
type note struct {
	*Ranked
	by *results.Metric
	y  float64
}

// Plot implements plot.Plotter.
func (n note) Plot(c draw.Canvas, p *plot.Plot) {
	drawn := extent{n.P5, n.P95}
	drawn.include(n.Mean)
	if n.Low <= n.High {
		drawn.include(n.Low, n.High)
	}
	const gap = 5
	style := canvas.TextStyle(canvas.TextSize)
	style.YAlign = text.YCenter
	at := vg.Point{X: c.X(p.X.Norm(drawn.high)) + gap, Y: c.Y(p.Y.Norm(n.y))}
	words := n.note(n.by)
	if at.X+style.Width(words) > c.Max.X {
		style.XAlign = text.XRight
		at.X = c.X(p.X.Norm(max(drawn.low, 0))) - gap
	}
	c.FillText(style, at, words)
}
