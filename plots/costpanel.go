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
		p.Add(canvas.Line(plotter.XYs{{X: 100, Y: 0}, {X: 100, Y: p.Y.Max}}, objectiveLine))
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
		p.Add(one.points...)
	}
	p.Add(m)
	return p, m.front != nil
}

// marks puts runs that did not finish at the edge.
func (c *Cloud) marks(edge float64) marks {
	var done, open plotter.XYs
	for _, r := range c.Runs {
		if r.Finished {
			done = append(done, plotter.XY{X: r.Percent, Y: r.USD})
		} else {
			open = append(open, plotter.XY{X: edge, Y: r.USD})
		}
	}
	style := canvas.StyleOf(c.Policy)
	m := marks{fair: !c.Oracle && !c.Misses && c.Finished == c.N,
		text: fmt.Sprintf("%s, %d of %d met", canvas.Label(c.Policy, 24), c.MetRuns, c.N)}
	m.points = append(m.points, &plotter.Scatter{XYs: done, GlyphStyle: *canvas.RunPoint(style)},
		&plotter.Scatter{XYs: open, GlyphStyle: *canvas.CrossPoint(style.Color)})
	if c.Finished > 0 {
		m.mean, m.style = plotter.XY{X: c.MeanPercent, Y: c.MeanUSD}, c.point(4)
	} else {
		m.mean = centre(open) // no point is drawn: the crosses are labelled
	}
	return m
}

func centre(points plotter.XYs) plotter.XY {
	var sum plotter.XY
	for _, p := range points {
		sum.X, sum.Y = sum.X+p.X, sum.Y+p.Y
	}
	n := float64(len(points))
	return plotter.XY{X: sum.X / n, Y: sum.Y / n}
}

// ranges sets the axes and returns where runs that did not finish are drawn.
func (cs *Clouds) ranges(p *plot.Plot) float64 {
	top, open := 1e-6, false
	for i := range cs.Of {
		open = open || cs.Of[i].Finished < cs.Of[i].N
		for _, r := range cs.Of[i].Runs {
			top = max(top, r.USD)
		}
	}
	y := canvas.FitScale(top*1.08, 8, canvas.OneTwoFive(1e-7))
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, y.Up(top*1.08), y
	lo, hi, far := cs.times()
	if far {
		p.X.Label.Text += ", all met"
	}
	setTimes(p, lo, hi)
	if !open {
		return 0
	}
	return addEdge(p)
}

// times are what the axis of finishes is for: those of the runs and the objective,
// unless all runs met it so early that it would take more than half of the axis; then
// far is true.
func (cs *Clouds) times() (lo, hi float64, far bool) {
	lo, hi, met := math.Inf(1), 0.0, true
	for i := range cs.Of {
		c := &cs.Of[i]
		met = met && c.MetRuns == c.N && c.Finished == c.N
		for _, r := range c.Runs {
			if r.Finished {
				lo, hi = min(lo, r.Percent), max(hi, r.Percent)
			}
		}
	}
	if met && 100-hi > max(hi-lo, minSpan) {
		return lo, hi, true
	}
	return min(lo, 100), max(hi, 100), false
}

// minSpan is what an axis of finishes spans at least, in per cent.
const minSpan = 20

// setTimes sets an axis for finishes from lo to hi per cent: a logarithmic one
// where some run took many times as long as another.
func setTimes(p *plot.Plot, lo, hi float64) {
	if lo > 0 && hi > 4*lo {
		p.X.Label.Text += ", logarithmic"
		canvas.SetLogarithmic(&p.X, lo, hi)
		return
	}
	x := canvas.FitScale(max(hi-lo, 1), 6, canvas.OneTwoFive(1e-3))
	rim := 0.05*(hi-lo) + x.Step/4
	p.X.Min, p.X.Max, p.X.Tick.Marker = max(x.Down(lo-rim), 0), x.Up(hi+rim), x
}

// addEdge lengthens the axis by a band for runs that did not finish, and
// returns its middle.
func addEdge(p *plot.Plot) float64 {
	hi := p.X.Max
	beyond := func(share float64) float64 {
		if _, logarithmic := p.X.Scale.(plot.LogScale); logarithmic {
			return hi * math.Pow(hi/p.X.Min, share)
		}
		return hi + share*(hi-p.X.Min)
	}
	mid, end := beyond(0.06), beyond(0.12)
	p.Add(canvas.Band{From: hi, To: end, Fill: canvas.PaleGrey})
	p.X.Max, p.X.Tick.Marker = end, canvas.WithUnfinished{Ticker: p.X.Tick.Marker, Last: hi, Edge: mid}
	return mid
}

// frontLine lies below the points.
var frontLine = draw.LineStyle{Color: canvas.Tint(canvas.Grey, 0.35), Width: 2.5}

// front is the Pareto front of the means: stairs down and to the right through those
// than which no other one is both sooner and cheaper. One mean alone has none.
func front(list []marks) plotter.XYs {
	var best plotter.XYs
	for _, m := range list {
		if m.fair {
			best = append(best, m.mean)
		}
	}
	slices.SortFunc(best, func(a, b plotter.XY) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	var stairs plotter.XYs
	for _, m := range best {
		if n := len(stairs); n == 0 {
			stairs = append(stairs, m)
		} else if m.Y < stairs[n-1].Y {
			stairs = append(stairs, plotter.XY{X: m.X, Y: stairs[n-1].Y}, m)
		}
	}
	if len(stairs) < 2 {
		return nil
	}
	return stairs
}

// marks are a policy's runs and their mean.
type marks struct {
	points []plot.Plotter
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
	r := labelSpace{canvas: c, points: along(m.front, place), objective: c.X(p.X.Norm(100))}
	for _, mark := range m.list {
		r.taken = append(r.taken, around(place(mark.mean), 5))
		for _, s := range mark.points {
			for _, v := range s.(*plotter.Scatter).XYs {
				r.points = append(r.points, place(v))
			}
		}
	}
	style := canvas.TextStyle(canvas.TextSize)
	for _, mark := range m.list {
		at := place(mark.mean)
		r.write(style, at, 5, r.best(at, style.Width(mark.text)), mark.text)
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
	n := 0
	for _, later := range m.list[i+1:] {
		if later.style != nil && overlap(around(place(later.mean), 1.5), around(place(m.list[i].mean), 1.5)) {
			n++
		}
	}
	return n
}

func costKeys(panels []Clouds) []canvas.Key {
	var keys []canvas.Key
	seen, open, miss, near := map[string]bool{}, false, false, false
	for i := range panels {
		for k := range panels[i].Of {
			c := &panels[i].Of[k]
			open, miss = open || c.Finished < c.N, miss || c.Misses
			if !seen[c.Policy] {
				seen[c.Policy] = true
				one := c.named()
				keys = append(keys, canvas.Key{Text: one.text(), Glyph: one.point(4)})
			}
		}
		_, _, far := panels[i].times()
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
