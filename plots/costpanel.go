package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/plots/canvas"
)

// panel draws the runs; joined says whether means are joined.
func (cs *Clouds) panel(title string) (p *plot.Plot, joined bool) {
	p = canvas.NewPanel(title, "finish (% of the objective)", "cost (USD)")
	p.Add(canvas.Grid())
	edge := cs.ranges(p)
	if p.X.Max >= 100 {
		p.Add(canvas.Vertical(100, 0, p.Y.Max, objectiveLine))
	}
	m := means{}
	for i := range cs.Of {
		m.list = append(m.list, cs.Of[i].marks(edge))
	}
	m.front = front(m.list)
	if m.front != nil {
		p.Add(canvas.Line(m.front, frontLine))
	}
	for _, one := range m.list {
		for _, points := range one.points {
			p.Add(points)
		}
	}
	p.Add(m)
	return p, m.front != nil
}

// marks puts runs that did not finish at the edge.
func (c *Cloud) marks(edge float64) marks {
	var done, open plotter.XYs
	for _, run := range c.Runs {
		if run.Finished {
			done = append(done, plotter.XY{X: run.Percent, Y: run.USD})
		} else {
			open = append(open, plotter.XY{X: edge, Y: run.USD})
		}
	}
	style := c.styles.Of(c.Policy)
	m := marks{
		fair: !c.Oracle && !c.Misses && c.Finished == c.N,
		text: fmt.Sprintf("%s, %d of %d met", canvas.Label(c.Policy, 24), c.MetRuns, c.N),
		points: []*plotter.Scatter{
			{XYs: done, GlyphStyle: *canvas.RunPoint(style)},
			{XYs: open, GlyphStyle: *canvas.CrossPoint(style.Color)},
		},
	}
	if c.Finished > 0 {
		m.mean = plotter.XY{X: c.MeanPercent, Y: c.MeanUSD}
		m.style = c.point(4)
	} else {
		m.mean = centre(open) // no point is drawn: the crosses are labelled
	}
	return m
}

func centre(points plotter.XYs) plotter.XY {
	var sum plotter.XY
	for _, point := range points {
		sum.X += point.X
		sum.Y += point.Y
	}
	count := float64(len(points))
	return plotter.XY{X: sum.X / count, Y: sum.Y / count}
}

// ranges sets the axes and returns where runs that did not finish are drawn.
func (cs *Clouds) ranges(p *plot.Plot) float64 {
	top := 1e-6
	open := false
	for i := range cs.Of {
		open = open || cs.Of[i].Finished < cs.Of[i].N
		for _, run := range cs.Of[i].Runs {
			top = max(top, run.USD)
		}
	}
	dollars := canvas.FitScale(top*1.08, 8, canvas.OneTwoFive(1e-7))
	canvas.SetAxis(&p.Y, 0, dollars.Up(top*1.08), dollars)
	times, far := cs.times()
	if far {
		p.X.Label.Text += ", all met"
	}
	setTimes(p, times)
	if !open {
		return 0
	}
	return addEdge(p)
}

// times are what the axis of finishes is for: those of the runs and the objective,
// unless all runs met it so early that it would take more than half of the axis; then
// far is true.
func (cs *Clouds) times() (percent extent, far bool) {
	percent = extent{low: math.Inf(1)}
	met := true
	for i := range cs.Of {
		cloud := &cs.Of[i]
		met = met && cloud.MetRuns == cloud.N && cloud.Finished == cloud.N
		for _, run := range cloud.Runs {
			if run.Finished {
				percent.include(run.Percent)
			}
		}
	}
	if met && 100-percent.high > max(percent.width(), minSpan) {
		return percent, true
	}
	percent.include(100)
	return percent, false
}

// minSpan is what an axis of finishes spans at least, in per cent.
const minSpan = 20

// setTimes sets an axis for finishes in per cent: a logarithmic one
// where some run took many times as long as another.
func setTimes(p *plot.Plot, percent extent) {
	if percent.low > 0 && percent.high > 4*percent.low {
		p.X.Label.Text += ", logarithmic"
		canvas.SetLogarithmic(&p.X, percent.low, percent.high)
		return
	}
	scale := canvas.FitScale(max(percent.width(), 1), 6, canvas.OneTwoFive(1e-3))
	rim := 0.05*percent.width() + scale.Step/4
	canvas.SetAxis(&p.X, max(scale.Down(percent.low-rim), 0), scale.Up(percent.high+rim), scale)
}

// addEdge lengthens the axis by a band for runs that did not finish, and
// returns its middle.
func addEdge(p *plot.Plot) float64 {
	last := p.X.Max
	beyond := func(share float64) float64 {
		if _, logarithmic := p.X.Scale.(plot.LogScale); logarithmic {
			return last * math.Pow(last/p.X.Min, share)
		}
		return last + share*(last-p.X.Min)
	}
	middle := beyond(0.06)
	end := beyond(0.12)
	p.Add(canvas.Band{From: last, To: end, Fill: canvas.PaleGrey})
	p.X.Max = end
	p.X.Tick.Marker = canvas.WithUnfinished{Ticker: p.X.Tick.Marker, Last: last, Edge: middle}
	return middle
}

// frontLine lies below the points.
var frontLine = draw.LineStyle{Color: canvas.Tint(canvas.Grey, 0.35), Width: 2.5}

// front is the Pareto front of the means: stairs down and to the right through those
// than which no other one is both sooner and cheaper. One mean alone has none.
func front(list []marks) plotter.XYs {
	var best plotter.XYs
	for _, one := range list {
		if one.fair {
			best = append(best, one.mean)
		}
	}
	slices.SortFunc(best, func(a, b plotter.XY) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	var stairs plotter.XYs
	for _, mean := range best {
		steps := len(stairs)
		if steps == 0 {
			stairs = append(stairs, mean)
		} else if mean.Y < stairs[steps-1].Y {
			stairs = append(stairs, plotter.XY{X: mean.X, Y: stairs[steps-1].Y}, mean)
		}
	}
	if len(stairs) < 2 {
		return nil
	}
	return stairs
}

// marks are a policy's runs and their mean.
type marks struct {
	points []*plotter.Scatter
	mean   plotter.XY
	style  *draw.GlyphStyle
	text   string
	fair   bool // knows no future, meets the objective, and its mean is of all its runs
}

// means draws the mean points of a panel, above all else, and writes each
// one's text where it covers least.
type means struct {
	list  []marks
	front plotter.XYs
}

// Plot implements plot.Plotter.
func (m means) Plot(c draw.Canvas, p *plot.Plot) {
	place := canvas.Placer(c, p)
	space := labelSpace{canvas: c, points: along(m.front, place), objective: c.X(p.X.Norm(100))}
	for _, mark := range m.list {
		space.taken = append(space.taken, around(place(mark.mean), 5))
		for _, points := range mark.points {
			for _, run := range points.XYs {
				space.points = append(space.points, place(run))
			}
		}
	}
	style := canvas.TextStyle(canvas.TextSize)
	for _, mark := range m.list {
		at := place(mark.mean)
		space.write(style, at, 5, space.best(at, style.Width(mark.text)), mark.text)
	}
	for i, mark := range m.list {
		if mark.style != nil {
			style := *mark.style
			style.Radius += 2.5 * vg.Length(m.above(i, place))
			c.DrawGlyph(style, place(mark.mean))
		}
	}
}

// above counts the means that are drawn on the i-th one and would hide it: it
// is drawn larger by a rim for each.
func (m means) above(i int, place func(plotter.XY) vg.Point) int {
	hidden := 0
	here := around(place(m.list[i].mean), 1.5)
	for _, later := range m.list[i+1:] {
		if later.style != nil && overlap(around(place(later.mean), 1.5), here) {
			hidden++
		}
	}
	return hidden
}

func costKeys(panels []Clouds) []canvas.Key {
	var keys []canvas.Key
	seen := map[string]bool{}
	open := false
	miss := false
	near := false
	for i := range panels {
		for k := range panels[i].Of {
			cloud := &panels[i].Of[k]
			open = open || cloud.Finished < cloud.N
			miss = miss || cloud.Misses
			if !seen[cloud.Policy] {
				seen[cloud.Policy] = true
				policy := cloud.named()
				keys = append(keys, canvas.Key{Text: policy.text(), Glyph: policy.point(4)})
			}
		}
		_, far := panels[i].times()
		near = near || !far
	}
	keys = append(keys, canvas.Key{Text: "one run", Glyph: canvas.RunPoint(canvas.GreyDot)},
		canvas.Key{Text: "mean of the finished runs", Glyph: canvas.GreyPoint(4)})
	if miss {
		keys = append(keys, missesKey())
	}
	if open {
		keys = append(keys, canvas.Key{Text: "did not finish", Glyph: canvas.CrossPoint(canvas.Grey)})
	}
	if near {
		keys = append(keys, canvas.Key{Text: "objective", Line: &objectiveLine})
	}
	return keys
}

// Cloud is the runs of one policy for one objective.
type Cloud struct {
	PolicyResult
	Runs     []RunPoint // those that are drawn: all, or evenly many of them
	N        int        // of all runs
	Finished int        // of N
	MetRuns  int        // of N
	// MeanUSD and MeanPercent are the means of all finished runs; not drawn without any.
	MeanUSD, MeanPercent float64
}

// RunPoint is a run in a figure of cost and finish.
type RunPoint struct {
	USD      float64
	Percent  float64 // when it finished, in per cent of the objective
	Finished bool
}

// Clouds are those of a panel: of one objective.
type Clouds struct {
	Title string
	Of    []Cloud
}
