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

var _ = register(&Drawer{Name: "outages", File: "outages-*",
	Short: "Machines that are down over the time of a run, and which",
	Long: `Draws how many machines are down over the first run of a policy that kept its timeline, and below a row for
each machine that was down, with a bar while it was.`,
	Draw: func(set *results.Set) ([]Named, error) {
		return ofRuns(set, func(r *results.Run) bool { return len(r.Outages) > 0 }, Outages)
	}})

// maxMachines is how many machines have a row each; of more, only their number is drawn.
const maxMachines = 400

// Outages draws the machines that are down over the time of a run, in hours: how many, with their mean as a dashed
// line, and which: up to 400 machines and 3,000 outages have rows with bars. ErrNothing if no machine was down, or
// the run kept none of it.
func Outages(r *results.Run) (*canvas.Figure, error) {
	end := r.LastedS() / hour
	for _, outage := range r.Outages {
		if !drawable(outage.FromS) || !drawable(outage.UntilS) || outage.UntilS < outage.FromS {
			return nil, fmt.Errorf("plots: run %d: a machine down from %v to %v s, want numbers up to 1e12",
				r.Run, outage.FromS, outage.UntilS)
		}
		end = max(end, outage.UntilS/hour)
	}
	if len(r.Outages) == 0 || !drawable(end) || end == 0 {
		return nil, ErrNothing
	}
	number, mean, top := downOver(r.Outages, end)
	count := canvas.NewPanel("machines that are down", "", "machines")
	count.Add(canvas.Grid(), canvas.Area{
		Low:  plotter.XYs{{X: 0}, {X: end}},
		High: number,
		Fill: canvas.Tint(outageColor["failed"], 0.5),
		Edge: draw.LineStyle{Color: outageColor["failed"], Width: 0.8},
	})
	line := draw.LineStyle{Color: canvas.Grey, Width: 1, Dashes: []vg.Length{4, 2}}
	count.Add(canvas.Horizontal(mean, 0, end, line))
	setLoad(count, end, top)
	rows := downRows(r.Outages)
	figure := &canvas.Figure{
		Width:  7.2 * vg.Inch,
		Height: 3 * vg.Inch,
		Panels: [][]*plot.Plot{{count}},
		Keys:   []canvas.Key{{Text: fmt.Sprintf("mean, %.3g", mean), Line: &line}},
	}
	lowest := count
	if len(rows) <= maxMachines && len(r.Outages) <= maxBars {
		which := canvas.NewPanel(fmt.Sprintf("which: %d machines", len(rows)), "", "")
		which.Add(rows)
		canvas.SetAxis(&which.X, 0, end, count.X.Tick.Marker)
		canvas.SetAxis(&which.Y, 0, float64(len(rows)), rows.ticks())
		figure.Panels = append(figure.Panels, []*plot.Plot{which})
		figure.Height += min(vg.Length(len(rows))*8+0.5*vg.Inch, 4*vg.Inch)
		figure.Keys = append(figure.Keys, rows.keys()...)
		lowest = which
	}
	lowest.X.Label.Text = "hours since the start"
	figure.Title = []string{
		fmt.Sprintf("What is down: %s, at most %s at one time", canvas.Label(r.Policy, 40), canvas.ShortNumber(top)),
		canvas.Label(fmt.Sprintf("%s, %s, %s", r.Scenario, r.Objective, r.From()), canvas.MaxAbout),
	}
	return figure, nil
}

// downOver is the number of machines that are down as a step line until an instant, in hours, its mean and its
// largest value.
func downOver(outages []results.Outage, end float64) (steps plotter.XYs, mean, top float64) {
	type change struct{ at, by float64 }
	var changes []change
	for _, outage := range outages {
		changes = append(changes, change{outage.FromS / hour, 1}, change{outage.UntilS / hour, -1})
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by))
	})
	down := 0.0
	since := 0.0
	steps = plotter.XYs{{}}
	for k := 0; k < len(changes); {
		at := changes[k].at
		mean += down * (at - since) / end
		before := down
		for ; k < len(changes) && changes[k].at == at; k++ {
			down += changes[k].by
		}
		since = at
		if down != before {
			steps = append(steps, plotter.XY{X: at, Y: before}, plotter.XY{X: at, Y: down})
			top = max(top, down)
		}
	}
	return append(steps, plotter.XY{X: end, Y: down}), mean, top
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
	first := map[string]int64{}  // machine of a pool
	several := map[string]bool{} // machines of the pool were down
	for _, outage := range outages {
		machine, seen := first[outage.Pool]
		if !seen {
			first[outage.Pool] = outage.Machine
		} else if machine != outage.Machine {
			several[outage.Pool] = true
		}
	}
	rowOf := map[id]int{}
	for _, outage := range outages {
		key := id{outage.Pool, outage.Machine}
		at, seen := rowOf[key]
		if !seen {
			at = len(rows)
			rowOf[key] = at
			name := outage.Pool
			if several[outage.Pool] {
				name = fmt.Sprintf("%s: %d", outage.Pool, outage.Machine)
			}
			rows = append(rows, downRow{name: name})
		}
		rows[at].down = append(rows[at].down, outage)
	}
	slices.SortFunc(rows, func(a, b downRow) int {
		return cmp.Or(natural(a.down[0].Pool, b.down[0].Pool), cmp.Compare(a.down[0].Machine, b.down[0].Machine))
	})
	return rows
}

// outageColor is the colour of what is down, by its cause, or its end where that is for good.
var outageColor = map[string]color.RGBA{
	"failed": canvas.Vermillion, "recorded": canvas.Vermillion, "misdiagnosed": canvas.SkyBlue,
	results.Retired: canvas.Black,
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
	across, up := p.Transforms(&c)
	for i, row := range m {
		place := float64(len(m) - i)
		top := up(place - 0.1)
		bottom := up(place - 1 + 0.1)
		for k := range row.down {
			outage := &row.down[k]
			left := across(outage.FromS / hour)
			right := across(outage.UntilS / hour)
			c.FillPolygon(outageColor[colorKey(outage)], canvas.Box(left, bottom, max(right, left+0.5), top))
		}
	}
}
