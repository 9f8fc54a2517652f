package plots

import (
	"fmt"

	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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
	look := canvas.LookOf(c.Policy)
	m := marks{fair: !c.Oracle && !c.Misses && c.Finished == c.N,
		text: fmt.Sprintf("%s, %d of %d met", canvas.Label(c.Policy, 24), c.MetRuns, c.N)}
	m.points = append(m.points, &plotter.Scatter{XYs: done, GlyphStyle: *canvas.RunPoint(look)},
		&plotter.Scatter{XYs: open, GlyphStyle: *canvas.CrossPoint(look.Color)})
	if c.Finished > 0 {
		m.mean, m.style = plotter.XY{X: c.MeanPercent, Y: c.MeanUSD}, c.point(4)
	} else {
		m.mean = mean(open) // no point is drawn: the crosses are labelled
	}
	return m
}

func mean(points plotter.XYs) plotter.XY {
	var sum plotter.XY
	for _, p := range points {
		sum.X, sum.Y = sum.X+p.X, sum.Y+p.Y
	}
	n := float64(len(points))
	return plotter.XY{X: sum.X / n, Y: sum.Y / n}
}
