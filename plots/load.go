package plots

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "load", File: "load",
	Short: "GPUs that jobs hold, and GPUs that waiting jobs ask for, over time",
	Long: "Draws the load of a cluster over the time of the first run of each policy " +
		"that marigram run wrote into DIR.",
	Draw: func(set *results.Set) ([]Named, error) { return alone(Load(jobRuns(set))) }})

// Load draws, over the time of each run, the GPUs that jobs hold, with those that there are as a grey
// line, and below them the GPUs that the waiting jobs ask for. ErrNothing if no run kept its spans.
func Load(runs []results.Run) (*canvas.Figure, error) {
	held := canvas.NewPanel("GPUs that jobs hold", "", "GPUs")
	wanted := canvas.NewPanel("GPUs that waiting jobs ask for", "hours since the start", "GPUs")
	figure := &canvas.Figure{Width: 7.2 * vg.Inch, Height: 4.6 * vg.Inch, Panels: [][]*plot.Plot{{held}, {wanted}}}
	held.Add(canvas.Grid())
	wanted.Add(canvas.Grid())
	end := lastHeld(runs)
	top := 0.0
	queue := 0.0
	var all []load
	styles := canvas.Apart(policiesOfRuns(runs))
	for i := range runs {
		load, err := loadOf(runs[i].Spans, end)
		if err != nil {
			return nil, fmt.Errorf("plots: run %d: %w", runs[i].Run, err)
		}
		if len(load) == 0 {
			continue
		}
		style := styles.Of(runs[i].Policy).Line()
		for _, s := range load {
			top = max(top, s.held, s.there)
			queue = max(queue, s.wanted)
		}
		held.Add(canvas.Line(load.steps(func(s *stretch) float64 { return s.held }), style))
		wanted.Add(canvas.Line(load.steps(func(s *stretch) float64 { return s.wanted }), style))
		key := policyOf(&runs[i], styles).key()
		key.Glyph = nil
		figure.Keys = append(figure.Keys, key)
		all = append(all, load)
	}
	if len(all) == 0 {
		return nil, ErrNothing
	}
	grey := draw.LineStyle{Color: canvas.Grey, Width: 0.8}
	held.Add(canvas.Line(all[0].steps(func(s *stretch) float64 { return s.there }), grey))
	figure.Keys = append(figure.Keys, canvas.Key{Text: "all GPUs", Line: &grey})
	setLoad(held, end, top)
	setLoad(wanted, end, queue)
	figure.Title = []string{"How busy the cluster is", canvas.Label(aboutRuns(runs, runs[0].From()), canvas.MaxAbout)}
	return figure, nil
}

// lastHeld is the last instant, in hours, at which a job of any run held a GPU: what comes after it is
// not drawn.
func lastHeld(runs []results.Run) (end float64) {
	for i := range runs {
		for k := range runs[i].Spans {
			span := &runs[i].Spans[k]
			if span.Held() > 0 {
				end = max(end, span.EndS/hour)
			}
		}
	}
	return end
}

// setLoad sets the axes of GPUs over hours.
func setLoad(panel *plot.Plot, end, top float64) {
	top = max(top, 1)
	gpus := canvas.FitScale(top, 5, canvas.OneTwoFive(1))
	canvas.SetAxis(&panel.X, 0, end, canvas.FitScale(end, 8, canvas.OneTwoFive(1e-4)))
	canvas.SetAxis(&panel.Y, 0, gpus.Up(top), gpus)
}

// load is the load of a cluster over time.
type load []stretch

// stretch is the mean load of a part of the time, in hours.
type stretch struct{ from, to, held, there, wanted float64 }

// maxStretches is how many parts of the time are drawn.
const maxStretches = 600

// loadOf is the load of a run until an instant, in about maxStretches parts: means over each.
func loadOf(spans []results.Span, end float64) (load, error) {
	var parts load
	for k := 0; k < len(spans) && spans[k].StartS/hour < end; {
		first := &spans[k]
		part := stretch{from: first.StartS / hour, to: first.EndS / hour, wanted: float64(first.GPUsWanted)}
		if !drawable(part.from) || !drawable(part.to) || part.to <= part.from {
			return nil, fmt.Errorf("an interval from %v to %v s, want one of numbers up to 1e12", first.StartS,
				first.EndS)
		}
		for ; k < len(spans) && spans[k].StartS == first.StartS; k++ {
			part.held += float64(spans[k].Held())
			if spans[k].Capacity != nil {
				part.there += float64(*spans[k].Capacity)
			}
		}
		part.to = min(part.to, end)
		parts = parts.add(part, end/maxStretches)
	}
	return parts, nil
}

// add adds a stretch, to the last one as long as that is shorter than width.
func (l load) add(next stretch, width float64) load {
	if len(l) == 0 {
		return append(l, next)
	}
	last := &l[len(l)-1]
	before := last.to - last.from
	if before >= width {
		return append(l, next)
	}
	added := next.to - next.from
	mean := func(x, y float64) float64 { return (before*x + added*y) / (before + added) }
	last.held = mean(last.held, next.held)
	last.there = mean(last.there, next.there)
	last.wanted = mean(last.wanted, next.wanted)
	last.to = next.to
	return l
}

func (l load) steps(of func(*stretch) float64) plotter.XYs {
	var points plotter.XYs
	for i := range l {
		points = append(points, plotter.XY{X: l[i].from, Y: of(&l[i])}, plotter.XY{X: l[i].to, Y: of(&l[i])})
	}
	return points
}
