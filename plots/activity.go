package plots

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// activity is one kind of instance time in a run.
type activity struct {
	name  string
	fill  color.Color
	hours func(s *results.Summary) float64
}

var activities = []activity{
	{"training that counts", blue, func(s *results.Summary) float64 { return s.UsefulH }},
	{"redundant", skyBlue, func(s *results.Summary) float64 { return s.RedundantH }},
	{"saving", green, func(s *results.Summary) float64 { return s.CheckpointingH }},
	{"restarting", vermillion, func(s *results.Summary) float64 { return s.RestoringH }},
	{"reconfiguring", purple, func(s *results.Summary) float64 { return s.ReconfiguringH }},
	{"training lost", orange, func(s *results.Summary) float64 { return s.LostH }},
	{"waiting", grey, func(s *results.Summary) float64 { return s.WaitingH }},
	{"starting", lightGrey, func(s *results.Summary) float64 { return s.StartingH }},
}

// Activities draws what the instance time of each policy's runs went into, in per
// cent of it, beside the cost of a million samples: the mean over the runs and
// the interval that holds 95 % of them. Runs without instance time are an error,
// and so are runs without samples.
func Activities(rows []results.Summary) (*Figure, error) {
	if len(rows) == 0 {
		return nil, errors.New("plots: no runs")
	}
	for i := range rows {
		if s := &rows[i]; !(s.InstanceH > 0) || !(s.Samples > 0) || !drawable(s.CostUSD/s.Samples*1e6) {
			return nil, fmt.Errorf("plots: run %d (%s): %v instance-hours, %v samples, %v USD, want more than 0 and 0", s.Run, s.Policy, s.InstanceH, s.Samples, s.CostUSD)
		}
	}
	names := policiesOf(rows)
	title := costTitle(rows, 1, 1)
	title[0] = "instance time by activity and cost of a million samples"
	if s := rows[0].Scenario; s != "" {
		title[0] = label(s, 50) + ": " + title[0]
	}
	title[1] += "; points: means, lines: 95 % of the runs"
	f := &Figure{width: 8 * vg.Inch, height: 3.9 * vg.Inch, title: title}
	for _, a := range activities {
		f.keys = append(f.keys, key{text: a.name, fill: a.fill})
	}
	f.panels = [][]*plot.Plot{{shares(rows, names), costs(rows, names)}}
	return f, nil
}

// shares stacks the activities of each policy.
func shares(rows []results.Summary, names []string) *plot.Plot {
	p := newPanel("", "", "instance time (%)")
	for i, name := range names {
		total, base := 0.0, 0.0
		for _, s := range rows {
			if s.Policy == name {
				total += s.InstanceH
			}
		}
		for _, a := range activities {
			hours := 0.0
			for k := range rows {
				if rows[k].Policy == name {
					hours += a.hours(&rows[k])
				}
			}
			top := base + 100*hours/total
			x0, x1 := float64(i)-0.36, float64(i)+0.36
			p.Add(area{low: plotter.XYs{{X: x0, Y: base}, {X: x1, Y: base}}, high: plotter.XYs{{X: x0, Y: top}, {X: x1, Y: top}}, fill: a.fill})
			base = top
		}
	}
	nominal(p, names)
	p.Y.Min, p.Y.Max = 0, 100
	return p
}

// costs draws mean and interval of each policy.
func costs(rows []results.Summary, names []string) *plot.Plot {
	p := newPanel("", "", "USD per million samples")
	p.Add(grid())
	for i, name := range names {
		var usd []float64
		sum := 0.0
		for _, s := range rows {
			if s.Policy == name {
				usd = append(usd, s.CostUSD/s.Samples*1e6)
				sum += usd[len(usd)-1]
			}
		}
		slices.Sort(usd)
		x := float64(i)
		low, high := quantile(usd, 0.025), quantile(usd, 0.975)
		p.Add(line(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}}, draw.LineStyle{Color: black, Width: 1.5}))
		point := meanPoint(LookOf(name))
		p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: x, Y: sum / float64(len(usd))}}, GlyphStyle: *point})
		p.Y.Max = max(p.Y.Max, high)
	}
	nominal(p, names)
	p.Y.Min, p.Y.Max = 0, 1.08*p.Y.Max
	return p
}

// nominal names the places 0, 1, ... of the x axis of a panel that is half a figure
// wide, aslant where they would touch.
func nominal(p *plot.Plot, names []string) {
	var ticks plot.ConstantTicks
	widest := vg.Length(0)
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: label(name, 20)})
		widest = max(widest, p.X.Tick.Label.Width(ticks[i].Label))
	}
	if (widest+6)*vg.Length(len(names)) > 3.4*vg.Inch {
		aslant(&p.X)
	}
	p.X.Tick.Marker = ticks
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
}

// quantile interpolates between the values, which are sorted.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	k := int(math.Floor(at))
	if k+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[k] + (at-float64(k))*(sorted[k+1]-sorted[k])
}
