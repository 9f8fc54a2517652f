package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "outages", File: "outages-*", Short: "Machines that are down over the time of a run, and which",
	Long: `Draws how many machines are down over the first run of a policy that kept its timeline, and below a row for each
machine that was down, with a bar while it was.`,
	Draw: func(set *results.Set) ([]Named, error) {
		return ofRuns(set, func(r *results.Run) bool { return len(r.Outages) > 0 }, Outages)
	}})

// maxMachines is how many machines have a row each; of more, only their number is drawn.
const maxMachines = 400

// Outages draws the machines that are down over the time of a run, in hours: how many, with their mean as a dashed line, and which: up
// to 400 machines and 3,000 outages have rows with bars. ErrNothing if no machine was down, or the run kept none of it.
func Outages(r *results.Run) (*canvas.Figure, error) {
	end := r.LastedS() / hour
	for _, x := range r.Outages {
		if !drawable(x.FromS) || !drawable(x.UntilS) || x.UntilS < x.FromS {
			return nil, fmt.Errorf("plots: run %d: a machine down from %v to %v s, want numbers up to 1e12", r.Run, x.FromS, x.UntilS)
		}
		end = max(end, x.UntilS/hour)
	}
	if len(r.Outages) == 0 || !drawable(end) || end == 0 {
		return nil, ErrNothing
	}
	number, mean, top := downOver(r.Outages, end)
	count := canvas.NewPanel("machines that are down", "", "machines")
	count.Add(canvas.Grid(), canvas.Area{Low: plotter.XYs{{X: 0}, {X: end}}, High: number, Fill: canvas.Tint(outageColor["failed"], 0.5),
		Edge: draw.LineStyle{Color: outageColor["failed"], Width: 0.8}})
	line := draw.LineStyle{Color: canvas.Grey, Width: 1, Dashes: []vg.Length{4, 2}}
	count.Add(canvas.Line(plotter.XYs{{X: 0, Y: mean}, {X: end, Y: mean}}, line))
	setLoad(count, end, top)
	rows := downRows(r.Outages)
	f := &canvas.Figure{Width: 7.2 * vg.Inch, Height: 3 * vg.Inch, Panels: [][]*plot.Plot{{count}},
		Keys: []canvas.Key{{Text: fmt.Sprintf("mean, %.3g", mean), Line: &line}}}
	lowest := count
	if len(rows) <= maxMachines && len(r.Outages) <= maxBars {
		which := canvas.NewPanel(fmt.Sprintf("which: %d machines", len(rows)), "", "")
		which.Add(rows)
		which.X.Min, which.X.Max, which.X.Tick.Marker = 0, end, count.X.Tick.Marker
		which.Y.Min, which.Y.Max, which.Y.Tick.Marker = 0, float64(len(rows)), rows.ticks()
		f.Panels, lowest = append(f.Panels, []*plot.Plot{which}), which
		f.Height += min(vg.Length(len(rows))*8+0.5*vg.Inch, 4*vg.Inch)
		f.Keys = append(f.Keys, rows.keys()...)
	}
	lowest.X.Label.Text = "hours since the start"
	f.Title = []string{fmt.Sprintf("What is down: %s, at most %s at one time", canvas.Label(r.Policy, 40), canvas.ShortNumber(top)),
		canvas.Label(fmt.Sprintf("%s, %s, %s", r.Scenario, r.Objective, r.From()), canvas.MaxAbout)}
	return f, nil
}

// downOver is the number of machines that are down as a step line until an instant, in hours, its mean and its largest value.
func downOver(outages []results.Outage, end float64) (steps plotter.XYs, mean, top float64) {
	type change struct{ at, by float64 }
	var changes []change
	for _, x := range outages {
		changes = append(changes, change{x.FromS / hour, 1}, change{x.UntilS / hour, -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now, at := 0.0, 0.0
	steps = plotter.XYs{{}}
	for k := 0; k < len(changes); {
		from := changes[k].at
		mean += now * (from - at) / end
		was := now
		for ; k < len(changes) && changes[k].at == from; k++ {
			now += changes[k].by
		}
		if at = from; now != was {
			steps = append(steps, plotter.XY{X: at, Y: was}, plotter.XY{X: at, Y: now})
			top = max(top, now)
		}
	}
	return append(steps, plotter.XY{X: end, Y: now}), mean, top
}

// downRow is a machine that was down, and when.
type downRow struct {
	name string
	down []results.Outage
}

// machineRows draws them.
type machineRows []downRow

// downRows are the machines that were down: by pool, and number. A server is a pool.
func downRows(outages []results.Outage) (rows machineRows) {
	type id struct {
		pool    string
		machine int64
	}
	at, servers := map[id]int{}, map[string]int64{}
	alone := map[string]bool{}
	for i := range outages {
		x := &outages[i]
		if first, seen := servers[x.Pool]; !seen {
			servers[x.Pool], alone[x.Pool] = x.Machine, true
		} else if first != x.Machine {
			alone[x.Pool] = false
		}
	}
	for _, x := range outages {
		key := id{x.Pool, x.Machine}
		k, seen := at[key]
		if !seen {
			k = len(rows)
			name := x.Pool
			if !alone[x.Pool] {
				name = fmt.Sprintf("%s: %d", x.Pool, x.Machine)
			}
			at[key], rows = k, append(rows, downRow{name: name})
		}
		rows[k].down = append(rows[k].down, x)
	}
	slices.SortFunc(rows, func(a, b downRow) int {
		return cmp.Or(natural(a.down[0].Pool, b.down[0].Pool), cmp.Compare(a.down[0].Machine, b.down[0].Machine))
	})
	return rows
}

// outageColor is the colour of what is down, by its cause, or its end where that is for good.
var outageColor = map[string]color.RGBA{
	"failed": canvas.Vermillion, "recorded": canvas.Vermillion, "misdiagnosed": canvas.SkyBlue, results.Retired: canvas.Black,
}

func colorKey(x *results.Outage) string {
	if x.End == results.Retired {
		return results.Retired
	}
	return x.Cause
}

// keys are those of the colours that are drawn.
func (m machineRows) keys() (keys []canvas.Key) {
	for _, name := range []string{"failed", "recorded", "misdiagnosed", results.Retired} {
		if slices.ContainsFunc(m, func(r downRow) bool {
			return slices.ContainsFunc(r.down, func(x results.Outage) bool { return colorKey(&x) == name })
		}) {
			keys = append(keys, canvas.Key{Text: name, Fill: outageColor[name]})
		}
	}
	return keys
}

// maxNamed is how many machines have their names next to their rows.
const maxNamed = 32

func (m machineRows) ticks() plot.ConstantTicks {
	var ticks []plot.Tick
	for i := 0; i < len(m) && len(m) <= maxNamed; i++ {
		ticks = append(ticks, plot.Tick{Value: float64(len(m)-i) - 0.5, Label: canvas.Label(m[i].name, 24)})
	}
	return ticks
}

// Plot implements plot.Plotter.
func (m machineRows) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, row := range m {
		top, bottom := ty(float64(len(m)-i)-0.1), ty(float64(len(m)-i-1)+0.1)
		for k := range row.down {
			x := &row.down[k]
			left, right := tx(x.FromS/hour), tx(x.UntilS/hour)
			c.FillPolygon(outageColor[colorKey(x)], box(left, bottom, max(right, left+0.5), top))
		}
	}
}
