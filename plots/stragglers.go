package plots

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/stragglers"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bounds of what is drawn of recorded steps.
const (
	maxWorkers    = 4096
	maxOperations = 20_000
)

// Stragglers draws which workers of a job are slow, S of each from 1 to 1.5, and below what one replica computes in one
// step, as it was and in the ideal job: the replica with the highest S, in the step whose S is nearest to that of the
// job. More than 4,096 workers, or 20,000 operations of a replica, are an error.
func Stragglers(name string, a *stragglers.Analysis) (*canvas.Figure, error) {
	if len(a.Job.Ranks) > maxWorkers {
		return nil, fmt.Errorf("plots: %d workers, expected at most %d", len(a.Job.Ranks), maxWorkers)
	}
	step, rank := a.Typical()
	original, ideal := a.Bars(step, rank)
	if len(original) > maxOperations {
		return nil, fmt.Errorf("plots: %d operations of a replica in a step, expected at most %d",
			len(original), maxOperations)
	}
	end := max(a.OriginalS[step], a.IdealS[step])
	figure := &canvas.Figure{
		Width:  7.2 * vg.Inch,
		Height: vg.Length(3.6+0.5*float64(min(a.Job.PP, 16))) * vg.Inch,
		Title: []string{
			canvas.Label(name, 60) + ": S of each worker, and one step",
			fmt.Sprintf("S %s; below: dp rank %d in step %d as it was, and in the ideal job",
				digits(a.S), rank, a.Job.Steps[step]),
		},
		Keys: []canvas.Key{
			{Text: "S 1", Fill: canvas.Tint(canvas.Blue, workerShades.share(1))},
			{Text: "1.25", Fill: canvas.Tint(canvas.Blue, workerShades.share(1.25))},
			{Text: "1.5 or more", Fill: canvas.Tint(canvas.Blue, workerShades.share(1.5))},
			{Text: "forward", Fill: barFill(false)},
			{Text: "backward", Fill: barFill(true)},
		},
		Panels: [][]*plot.Plot{{workerMap(a)}, {computing("as it was", original, a.Job.PP, end)},
			{computing("ideal", ideal, a.Job.PP, end)}},
	}
	return figure, nil
}

// workerShades are the colours of S of a worker.
var workerShades = shades{extent{1, 1.5}}

func workerMap(a *stragglers.Analysis) *plot.Plot {
	m := HeatMap{Cells: make([][]Cell, a.Job.PP)}
	for stage := range m.Cells {
		for rank := range a.Job.DP {
			m.Cells[stage] = append(m.Cells[stage], Cell{Mean: a.Worker(rank*a.Job.PP + stage)})
		}
	}
	panel := canvas.NewPanel("", "dp rank", "stage")
	canvas.SetAxis(&panel.X, 0, float64(a.Job.DP), numbered(a.Job.DP))
	canvas.SetAxis(&panel.Y, 0, float64(a.Job.PP), numbered(a.Job.PP))
	panel.Add(heat{&m, workerShades})
	return panel
}

// numbered are ticks in the middle of rows or columns: about twenty, from 0.
func numbered(n int) (ticks plot.ConstantTicks) {
	for i := 0; i < n; i += (n + 19) / 20 {
		ticks = append(ticks, plot.Tick{Value: float64(i) + 0.5, Label: strconv.Itoa(i)})
	}
	return ticks
}

// computing draws what the stages compute over a step.
func computing(title string, bars []stragglers.Bar, stages int, end float64) *plot.Plot {
	panel := canvas.NewPanel(title, "seconds", "stage")
	canvas.SetAxis(&panel.X, 0, end, canvas.FitScale(end, 8, canvas.OneTwoFive(1e-6)))
	canvas.SetAxis(&panel.Y, 0, float64(stages), numbered(stages))
	panel.Add(stageBars(bars))
	return panel
}

// stageBars are bars in the rows of their stages.
type stageBars []stragglers.Bar

// Plot implements plot.Plotter.
func (s stageBars) Plot(c draw.Canvas, p *plot.Plot) {
	for _, bar := range s {
		low := float64(bar.Stage)
		canvas.FillBox(c, barFill(bar.Backward), vg.Rectangle{
			Min: vg.Point{X: c.X(p.X.Norm(bar.FromS)), Y: c.Y(p.Y.Norm(low + 0.1))},
			Max: vg.Point{X: c.X(p.X.Norm(bar.ToS)), Y: c.Y(p.Y.Norm(low + 0.9))},
		})
	}
}

func barFill(backward bool) canvas.Paint {
	if backward {
		return canvas.Tint(canvas.Orange, 0.8)
	}
	return canvas.Tint(canvas.Blue, 0.5)
}
