package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/internal/format"
)

// Ranked is what a run costs under one policy, in USD.
type Ranked struct {
	Standing
	Mean      float64
	Low, High float64 // 95 % interval of the mean; not a number: none
	P5, P95   float64 // percentiles of the runs
}

// Ranking draws what a run costs under each policy of one objective, the first on top:
// the mean, its 95 % interval, and where nine of ten runs lie. Those that miss the
// objective stand on grey, hollow, with how often they met it. ErrNothing without any.
func Ranking(name, about string, all []Ranked) (*Figure, error) {
	if len(all) == 0 {
		return nil, ErrNothing
	}
	names := make([]string, len(all))
	for i := range all {
		if err := all[i].check(); err != nil {
			return nil, fmt.Errorf("plots: %s: %w", label(all[i].Policy, 60), err)
		}
		names[i] = all[i].Policy
	}
	f := &Figure{width: 4.2 * vg.Inch, title: []string{label(name, 90), label(about, mostAbout)}}
	f.panels = [][]*plot.Plot{{rankingPanel(all, distinct(names, 24))}}
	mean := &draw.LineStyle{Color: grey, Width: meanWidth}
	f.keys = []key{{text: "mean, 95 % interval", line: mean, glyph: greyPoint(3)},
		{text: "90 % of the runs", line: &draw.LineStyle{Color: grey, Width: 0.8}}}
	if misses(all) {
		f.keys = append(f.keys, missesKey())
	}
	f.height = f.head() + 0.5*vg.Inch + 16*vg.Length(len(all))
	return f, nil
}

const meanWidth = vg.Length(2.6)

func misses(all []Ranked) bool {
	for i := range all {
		if all[i].Misses {
			return true
		}
	}
	return false
}

func (r *Ranked) check() error {
	for _, x := range []float64{r.Mean, r.P5, r.P95} {
		if !drawable(x) {
			return fmt.Errorf("%v USD, want 0 to %g", x, most)
		}
	}
	if none := math.IsNaN(r.Low) && math.IsNaN(r.High); !none &&
		!(drawable(math.Abs(r.Low)) && drawable(r.High) && r.Low <= r.High) {
		return fmt.Errorf("interval %v to %v, want ascending numbers up to %g", r.Low, r.High, most)
	}
	return nil
}

// note is what stands beside the policy's mean.
func (r *Ranked) note() string {
	text := format.USD(r.Mean)
	if r.Oracle {
		text += ", knows the future"
	}
	if r.Misses {
		text += ", met " + format.Percent(r.Met)
	}
	return text
}

func rankingPanel(all []Ranked, names []string) *plot.Plot {
	p := newPanel("", "cost of a run (USD)", "")
	top := 1e-6
	for i := range all {
		top = max(top, all[i].P95, all[i].Mean)
		if r := &all[i]; r.Low <= r.High {
			top = max(top, r.High)
		}
	}
	x := fit(top, 5, oneTwoFive(1e-7))
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, top*1.02, x
	p.Y.Min, p.Y.Max = -0.7, float64(len(all))-0.3
	p.Add(grid())
	var ticks plot.ConstantTicks
	for i := range all {
		r, y := &all[i], float64(len(all)-1-i)
		ticks = append(ticks, plot.Tick{Value: y, Label: names[i]})
		if r.Misses {
			p.Add(row{y, paleGrey})
		}
		thin, thick := r.line(), r.line()
		thin.Dashes, thin.Width, thick.Dashes, thick.Width = nil, 0.8, nil, meanWidth
		p.Add(line(plotter.XYs{{X: r.P5, Y: y}, {X: r.P95, Y: y}}, thin))
		if r.Low <= r.High {
			p.Add(line(plotter.XYs{{X: max(r.Low, 0), Y: y}, {X: r.High, Y: y}}, thick))
		}
		p.Add(glyphAt(r.Mean, y, *r.point(3.4)), beside{r, y})
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

// beside writes a policy's note to the right of what is drawn of it, or to the left
// where that has no room.
type beside struct {
	*Ranked
	y float64
}

// Plot implements plot.Plotter.
func (b beside) Plot(c draw.Canvas, p *plot.Plot) {
	left, right := min(b.P5, b.Mean), max(b.P95, b.Mean)
	if b.Low <= b.High {
		left, right = min(left, b.Low), max(right, b.High)
	}
	const gap = 5
	style := textStyle(textSize)
	style.YAlign = text.YCenter
	at := vg.Point{X: c.X(p.X.Norm(right)) + gap, Y: c.Y(p.Y.Norm(b.y))}
	if at.X+style.Width(b.note()) > c.Max.X {
		style.XAlign, at.X = text.XRight, c.X(p.X.Norm(max(left, 0)))-gap
	}
	c.FillText(style, at, b.note())
}
