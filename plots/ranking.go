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
	"gonum.org/v1/plot/plotter"
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
	f := &canvas.Figure{Width: 4.2 * vg.Inch, Title: []string{canvas.Label(objective+": "+by.Title, 90), canvas.Label(about, canvas.MaxAbout)}}
	f.Panels = [][]*plot.Plot{{rankingPanel(by, all, distinct(names, 24))}}
	mean := &draw.LineStyle{Color: canvas.Grey, Width: meanWidth}
	f.Keys = []canvas.Key{{Text: "mean, 95 % interval", Line: mean, Glyph: canvas.GreyPoint(3)},
		{Text: "90 % of the runs", Line: &draw.LineStyle{Color: canvas.Grey, Width: 0.8}}}
	if slices.ContainsFunc(all, func(r Ranked) bool { return r.Misses }) {
		f.Keys = append(f.Keys, missesKey())
	}
	f.Height = f.Head() + 0.5*vg.Inch + 16*vg.Length(len(all))
	return f, nil
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
	p := canvas.NewPanel("", by.Title+" ("+by.Unit+")", "")
	top := 1e-6
	for i := range all {
		top = max(top, all[i].P95, all[i].Mean)
		if r := &all[i]; r.Low <= r.High {
			top = max(top, r.High)
		}
	}
	x := canvas.FitScale(top, 5, canvas.OneTwoFive(1e-7))
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, top*1.02, x
	p.Y.Min, p.Y.Max = -0.7, float64(len(all))-0.3
	p.Add(canvas.Grid())
	var ticks plot.ConstantTicks
	for i := range all {
		r, y := &all[i], float64(len(all)-1-i)
		ticks = append(ticks, plot.Tick{Value: y, Label: names[i]})
		if r.Misses {
			p.Add(row{y, canvas.PaleGrey})
		}
		thin, thick := r.line(), r.line()
		thin.Dashes, thin.Width, thick.Dashes, thick.Width = nil, 0.8, nil, meanWidth
		p.Add(canvas.Line(plotter.XYs{{X: r.P5, Y: y}, {X: r.P95, Y: y}}, thin))
		if r.Low <= r.High {
			p.Add(canvas.Line(plotter.XYs{{X: max(r.Low, 0), Y: y}, {X: r.High, Y: y}}, thick))
		}
		p.Add(glyphAt(r.Mean, y, *r.point(3.4)), note{r, by, y})
	}
	p.Y.Tick.Marker = ticks
	return p
}

// row is a row of a ranking over all its width.
type row struct {
	y    float64
	fill color.Color
}

// Plot implements plot.Plotter.
func (r row) Plot(c draw.Canvas, p *plot.Plot) {
	low, high := c.Y(p.Y.Norm(r.y-0.5)), c.Y(p.Y.Norm(r.y+0.5))
	c.FillPolygon(r.fill, []vg.Point{{X: c.Min.X, Y: low}, {X: c.Max.X, Y: low}, {X: c.Max.X, Y: high},
		{X: c.Min.X, Y: high}})
}

// note writes a policy's note to the right of what is drawn of it, or to the left
// where that has no room.
type note struct {
	*Ranked
	by *results.Metric
	y  float64
}

// Plot implements plot.Plotter.
func (b note) Plot(c draw.Canvas, p *plot.Plot) {
	left, right := min(b.P5, b.Mean), max(b.P95, b.Mean)
	if b.Low <= b.High {
		left, right = min(left, b.Low), max(right, b.High)
	}
	const gap = 5
	style := canvas.TextStyle(canvas.TextSize)
	style.YAlign = text.YCenter
	at := vg.Point{X: c.X(p.X.Norm(right)) + gap, Y: c.Y(p.Y.Norm(b.y))}
	if at.X+style.Width(b.note(b.by)) > c.Max.X {
		style.XAlign, at.X = text.XRight, c.X(p.X.Norm(max(left, 0)))-gap
	}
	c.FillText(style, at, b.note(b.by))
}
