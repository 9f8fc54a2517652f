package jobs

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// CompletionTimes draws, for each run, the share of its jobs that took at most so long: from their
// submission to their finish on the left, of which without GPUs on the right. Jobs that were not
// done count as later than all others. plots.ErrNothing if no job of any run was done.
func CompletionTimes(runs []Run) (*canvas.Figure, error) {
	f := &canvas.Figure{Width: 7.2 * vg.Inch, Height: 3.8 * vg.Inch}
	done := canvas.NewPanel("completion time", "hours from submission to finish", "fraction of jobs")
	queue := canvas.NewPanel("queue time", "hours without GPUs", "")
	var times, waits [][]float64
	for i := range runs {
		var took, waited []float64
		for _, j := range runs[i].Jobs {
			if j.JCTS != nil && drawable(*j.JCTS) && j.QueueS != nil && drawable(*j.QueueS) {
				took, waited = append(took, *j.JCTS/hour), append(waited, *j.QueueS/hour)
			}
		}
		times, waits = append(times, took), append(waits, waited)
		f.Keys = append(f.Keys, keyOf(runs[i].Policy))
	}
	if !slices.ContainsFunc(times, func(x []float64) bool { return len(x) > 0 }) {
		return nil, plots.ErrNothing
	}
	f.Title = []string{"How long jobs take", canvas.Label(about(runs, fmt.Sprintf("%d jobs, seed %d", len(runs[0].Jobs), runs[0].Seed)), canvas.MostAbout)}
	shares(done, runs, times)
	shares(queue, runs, waits)
	f.Panels = [][]*plot.Plot{{done, queue}}
	return f, nil
}

// shares draws the cumulative distribution of each run's numbers.
func shares(p *plot.Plot, runs []Run, of [][]float64) {
	p.Add(canvas.Grid())
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, 1, canvas.FitScale(1, 5, canvas.OneTwoFive(0.1))
	least, most := 0.0, 0.0
	for _, x := range of {
		slices.Sort(x)
		if n := len(x); n > 0 {
			most = max(most, x[n-1])
			if low := x[n/50]; least == 0 || low < least { // the few shortest do not stretch the axis
				least = low
			}
		}
	}
	setHours(p, least, most)
	for i, x := range of {
		p.Add(canvas.Line(stairs(x, len(runs[i].Jobs), p.X.Min, p.X.Max), canvas.LookOf(runs[i].Policy).Line()))
	}
}

// setHours sets the axis of hours: logarithmic where they are far apart.
func setHours(p *plot.Plot, least, most float64) {
	if least > 0 && most > 8*least {
		p.X.Label.Text += ", logarithmic"
		canvas.SetLogarithmic(&p.X, least, most)
		return
	}
	x := canvas.FitScale(max(most, 1e-3), 6, canvas.OneTwoFive(1e-4))
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, x.Up(max(most, 1e-3)), x
}

// stairs is the share of n jobs with at most a value, of values in ascending order. Values below
// the axis are drawn at its beginning.
func stairs(x []float64, n int, low, high float64) plotter.XYs {
	share := func(k int) float64 { return float64(k) / float64(n) }
	points := plotter.XYs{{X: low, Y: 0}}
	every := (len(x) + 499) / 500
	for k, v := range x {
		if (k+1)%max(every, 1) != 0 && k != len(x)-1 {
			continue
		}
		v = max(v, low)
		points = append(points, plotter.XY{X: v, Y: points[len(points)-1].Y}, plotter.XY{X: v, Y: share(k + 1)})
	}
	return append(points, plotter.XY{X: high, Y: share(len(x))})
}
