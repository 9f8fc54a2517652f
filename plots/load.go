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

var _ = register(&Drawer{Name: "load", File: "load", Short: "GPUs that jobs hold, and GPUs that waiting jobs ask for, over time",
	Long: "Draws the load of a cluster over the time of the first run of each policy that marigram run wrote into DIR.",
	Draw: func(set *results.Set) ([]Named, error) { return alone(Load(jobRuns(set))) }})

// Load draws, over the time of each run, the GPUs that jobs hold, with those that there are as a grey
// line, and below them the GPUs that the waiting jobs ask for. ErrNothing if no run kept its spans.
func Load(runs []results.Run) (*canvas.Figure, error) {
	held := canvas.NewPanel("GPUs that jobs hold", "", "GPUs")
	wanted := canvas.NewPanel("GPUs that waiting jobs ask for", "hours since the start", "GPUs")
	f := &canvas.Figure{Width: 7.2 * vg.Inch, Height: 4.6 * vg.Inch, Panels: [][]*plot.Plot{{held}, {wanted}}}
	held.Add(canvas.Grid())
	wanted.Add(canvas.Grid())
	end := lastHeld(runs)
	top, queue, all := 0.0, 0.0, []load{}
	for i := range runs {
		x, err := loadOf(runs[i].Spans, end)
		if err != nil {
			return nil, fmt.Errorf("plots: run %d: %w", runs[i].Run, err)
		}
		if len(x) == 0 {
			continue
		}
		style := canvas.StyleOf(runs[i].Policy).Line()
		for _, s := range x {
			top, queue = max(top, s.held, s.there), max(queue, s.wanted)
		}
		held.Add(canvas.Line(x.steps(func(s *stretch) float64 { return s.held }), style))
		wanted.Add(canvas.Line(x.steps(func(s *stretch) float64 { return s.wanted }), style))
		key := policyOf(&runs[i]).key()
		key.Glyph = nil
		f.Keys, all = append(f.Keys, key), append(all, x)
	}
	if len(all) == 0 {
		return nil, ErrNothing
	}
	grey := draw.LineStyle{Color: canvas.Grey, Width: 0.8}
	held.Add(canvas.Line(all[0].steps(func(s *stretch) float64 { return s.there }), grey))
	f.Keys = append(f.Keys, canvas.Key{Text: "all GPUs", Line: &grey})
	setLoad(held, end, top)
	setLoad(wanted, end, queue)
	f.Title = []string{"How busy the cluster is", canvas.Label(aboutRuns(runs, runs[0].From()), canvas.MaxAbout)}
	return f, nil
}

// lastHeld is the last instant, in hours, at which a job of any run held a GPU: what comes after it is
// not drawn.
func lastHeld(runs []results.Run) (end float64) {
	for i := range runs {
		for k := range runs[i].Spans {
			if s := &runs[i].Spans[k]; s.Held() > 0 {
				end = max(end, s.EndS/hour)
			}
		}
	}
	return end
}

// setLoad sets the axes of GPUs over hours.
func setLoad(p *plot.Plot, end, top float64) {
	top = max(top, 1)
	x, y := canvas.FitScale(end, 8, canvas.OneTwoFive(1e-4)), canvas.FitScale(top, 5, canvas.OneTwoFive(1))
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, end, x
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, y.Up(top), y
}

// load is the load of a cluster over time.
type load []stretch

// stretch is the mean load of a part of the time, in hours.
type stretch struct{ from, to, held, there, wanted float64 }

// maxStretches is how many parts of the time are drawn.
const maxStretches = 600

// loadOf is the load of a run until an instant, in about maxStretches parts: means over each.
func loadOf(spans []results.Span, end float64) (load, error) {
	var out load
	for k := 0; k < len(spans) && spans[k].StartS/hour < end; {
		one := stretch{from: spans[k].StartS / hour, to: spans[k].EndS / hour, wanted: float64(spans[k].GPUsWanted)}
		if !drawable(one.from) || !drawable(one.to) || one.to <= one.from {
			return nil, fmt.Errorf("an interval from %v to %v s, want one of numbers up to 1e12", spans[k].StartS, spans[k].EndS)
		}
		for at := spans[k].StartS; k < len(spans) && spans[k].StartS == at; k++ {
			one.held += float64(spans[k].Held())
			if spans[k].Capacity != nil {
				one.there += float64(*spans[k].Capacity)
			}
		}
		one.to = min(one.to, end)
		out = out.add(one, end/maxStretches)
	}
	return out, nil
}

// add adds a stretch, to the last one as long as that is shorter than width.
func (l load) add(s stretch, width float64) load {
	if n := len(l); n > 0 && l[n-1].to-l[n-1].from < width {
		last := &l[n-1]
		a, b := last.to-last.from, s.to-s.from
		mean := func(x, y float64) float64 { return (a*x + b*y) / (a + b) }
		last.held, last.there, last.wanted = mean(last.held, s.held), mean(last.there, s.there), mean(last.wanted, s.wanted)
		last.to = s.to
		return l
	}
	return append(l, s)
}

func (l load) steps(of func(*stretch) float64) plotter.XYs {
	var out plotter.XYs
	for i := range l {
		out = append(out, plotter.XY{X: l[i].from, Y: of(&l[i])}, plotter.XY{X: l[i].to, Y: of(&l[i])})
	}
	return out
}
