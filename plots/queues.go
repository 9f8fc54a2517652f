package plots

import (
	"maps"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "queues", File: "queues",
	Short: "GPUs that queues use over time, within their quota and borrowed",
	Long: `Draws, for the first run of each policy with quotas that marigram run wrote into DIR, the GPUs of their quota
that its queues use over time, and their nominal quota as a grey line: what is above it is borrowed.`,
	Draw: func(set *results.Set) ([]Named, error) { return alone(QueueUse(jobRuns(set))) }})

// maxQueues is how many queues are drawn.
const maxQueues = 8

// QueueUse draws, a panel for each queue, the quota that it uses over the time of each run, and its nominal quota as a
// grey line. ErrNothing if no run has queues with quotas.
func QueueUse(runs []results.Run) (*canvas.Figure, error) {
	uses := make([]map[string][]results.QueueUse, len(runs))
	names := map[string]bool{}
	end := 0.0
	for i := range runs {
		uses[i] = results.QueueUses(runs[i].Decisions)
		for name, list := range uses[i] {
			names[name] = true
			end = max(end, list[len(list)-1].AtS/hour)
		}
	}
	if len(names) == 0 || end == 0 {
		return nil, ErrNothing
	}
	shown := slices.Sorted(maps.Keys(names))
	shown = shown[:min(len(shown), maxQueues)]
	figure := &canvas.Figure{Width: 7.2 * vg.Inch, Height: vg.Length(1+1.6*float64(len(shown))) * vg.Inch}
	styles := canvas.Apart(policiesOfRuns(runs))
	grey := draw.LineStyle{Color: canvas.Grey, Width: 0.8}
	for k, name := range shown {
		x := ""
		if k == len(shown)-1 {
			x = "hours since the start"
		}
		panel := canvas.NewPanel(name, x, "GPUs")
		panel.Add(canvas.Grid())
		top := 0.0
		for i := range runs {
			list := uses[i][name]
			if len(list) == 0 {
				continue
			}
			for _, use := range list {
				top = max(top, use.Used, use.Nominal)
			}
			panel.Add(canvas.Line(useSteps(list, end, func(u *results.QueueUse) float64 { return u.Nominal }), grey))
			panel.Add(canvas.Line(useSteps(list, end, func(u *results.QueueUse) float64 { return u.Used }),
				styles.Of(runs[i].Policy).Line()))
		}
		setLoad(panel, end, top)
		figure.Panels = append(figure.Panels, []*plot.Plot{panel})
	}
	for i := range runs {
		if len(uses[i]) > 0 {
			key := policyOf(&runs[i], styles).key()
			key.Glyph = nil
			figure.Keys = append(figure.Keys, key)
		}
	}
	figure.Keys = append(figure.Keys, canvas.Key{Text: "nominal quota", Line: &grey})
	about := canvas.Label(aboutRuns(runs, runs[0].From()), canvas.MaxAbout)
	figure.Title = []string{"What queues use of their quotas", about}
	return figure, nil
}

// useSteps are the steps of a use over time until an instant, in hours.
func useSteps(list []results.QueueUse, end float64, of func(*results.QueueUse) float64) (points plotter.XYs) {
	for i := range list {
		until := end
		if i+1 < len(list) {
			until = list[i+1].AtS / hour
		}
		y := of(&list[i])
		points = append(points, plotter.XY{X: list[i].AtS / hour, Y: y}, plotter.XY{X: until, Y: y})
	}
	return points
}
