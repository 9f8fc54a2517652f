// Package overlaid draws a run that was observed over simulations of it.
package overlaid

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Run is a run with the intervals of its timeline, in order.
type Run struct {
	Summary results.Summary
	Spans   []results.Span
}

// Most is how many simulated runs are drawn at most.
const Most = 200

// lines are how the observed run and the simulated ones are drawn.
var (
	observedLine  = draw.LineStyle{Color: canvas.Black, Width: 2.2}
	simulatedLine = draw.LineStyle{Color: canvas.TypeColor(1), Width: 0.9}
	manyLine      = draw.LineStyle{Color: canvas.Tint(canvas.TypeColor(1), 0.55), Width: 0.6}
)

// Draw draws an observed run over simulated ones, over the time since their beginning: the
// instances held, the dollars and the progress of each. Where there is one simulated run,
// the title has the figures of both. Errors say what cannot be drawn.
func Draw(observed Run, simulated []Run) (*canvas.Figure, error) {
	if len(simulated) == 0 || len(simulated) > Most {
		return nil, fmt.Errorf("overlaid: %d simulated runs, want 1 to %d", len(simulated), Most)
	}
	style := simulatedLine
	if len(simulated) > 1 {
		style = manyLine
	}
	panels := []*panel{newPanel("held (instances)", held, 1, 1, true), newPanel("cost (USD)", cost, 1e-6, 1e-6, false),
		newPanel("progress (%)", progress, 1, 100, false)}
	// A single simulated run lies upon the observed one, whose line is wider; many lie below it.
	order, styles := []*Run{&observed}, []draw.LineStyle{observedLine}
	for i := range simulated {
		order, styles = append(order, &simulated[i]), append(styles, style)
	}
	if len(simulated) > 1 {
		order, styles = append(order[1:], &observed), append(styles[1:], observedLine)
	}
	for i, r := range order {
		for _, p := range panels {
			if err := p.add(r, styles[i]); err != nil {
				return nil, err
			}
		}
	}
	f := &canvas.Figure{Width: 7 * vg.Inch, Height: 6.2 * vg.Inch, Title: title(&observed, simulated),
		Keys: []canvas.Key{{Text: "observed", Line: &observedLine}, {Text: simulatedText(simulated), Line: &style}}}
	for i, p := range panels {
		f.Panels = append(f.Panels, []*plot.Plot{p.finish(endOf(&observed, simulated), i == len(panels)-1)})
	}
	return f, nil
}

func simulatedText(simulated []Run) string {
	if n := len(simulated); n > 1 {
		return fmt.Sprintf("simulated, %d runs", n)
	}
	return "simulated, " + canvas.Label(simulated[0].Summary.Policy, 30)
}

func title(observed *Run, simulated []Run) []string {
	out := []string{canvas.Label(observed.Summary.Scenario, 60) + ": observed and simulated"}
	if len(simulated) == 1 {
		out = append(out, "observed "+figures(&observed.Summary)+"; simulated "+figures(&simulated[0].Summary))
	}
	return out
}

// figures are finish and cost of a run.
func figures(s *results.Summary) string {
	end := "not finished after "
	if s.Finished {
		end = "finished after "
	}
	return end + canvas.ShortNumber(s.LastedS()/3600) + " h, " + format.USD(s.CostUSD) + " USD"
}

// endOf is where the last of the runs ends, in hours.
func endOf(observed *Run, simulated []Run) float64 {
	end := observed.Spans[len(observed.Spans)-1].EndS
	for _, r := range simulated {
		end = max(end, r.Spans[len(r.Spans)-1].EndS)
	}
	return end / 3600
}

// panel is one quantity over time.
type panel struct {
	*plot.Plot
	of  func(row []results.Span) float64 // of an interval: a row a pool
	y   string
	top float64
	// least is the smallest step of the axis, atLeast what it reaches; stairs says that a value
	// holds for an interval, not at its end.
	least, atLeast float64
	stairs         bool
}

func newPanel(y string, of func([]results.Span) float64, least, atLeast float64, stairs bool) *panel {
	p := canvas.NewPanel("", "", y)
	p.Add(canvas.Grid())
	return &panel{Plot: p, of: of, y: y, least: least, atLeast: atLeast, stairs: stairs}
}

func held(rows []results.Span) float64 {
	n := 0.0
	for i := range rows {
		n += float64(rows[i].Held())
	}
	return n
}

func cost(rows []results.Span) float64     { return rows[0].CostUSD }
func progress(rows []results.Span) float64 { return 100 * rows[0].Progress }

// headroom keeps lines off the upper edge of their panel.
const headroom = 1.01

// mostDrawn is the largest number that is drawn: beyond it something is wrong.
const mostDrawn = 1e12

// add adds the line of a run: stairs of what is held, points at the ends of intervals of
// what grows.
func (p *panel) add(r *Run, style draw.LineStyle) error {
	points := plotter.XYs{{}}
	for rows, err := range results.Stretches(r.Spans) {
		if err != nil {
			return fmt.Errorf("overlaid: %s: %w", r.Summary.Policy, err)
		}
		first, v := &rows[0], p.of(rows)
		if !(v >= 0 && v <= mostDrawn) || !(first.EndS > first.StartS && first.StartS >= 0 && first.EndS <= mostDrawn) {
			return fmt.Errorf("overlaid: %s: %s is %v from %v to %v s, want 0 to %g in an interval", r.Summary.Policy, p.y, v, first.StartS, first.EndS, mostDrawn)
		}
		if p.stairs {
			points = append(points, plotter.XY{X: first.StartS / 3600, Y: v})
		}
		points = append(points, plotter.XY{X: first.EndS / 3600, Y: v})
		p.top = max(p.top, v)
	}
	if len(r.Spans) == 0 {
		return fmt.Errorf("overlaid: %s: no intervals", r.Summary.Policy)
	}
	if p.stairs {
		points = points[1:]
	}
	p.Add(canvas.Line(points, style))
	return nil
}

// finish sets the axes; only the lowest panel says the hours.
func (p *panel) finish(end float64, lowest bool) *plot.Plot {
	p.X.Min, p.X.Max = 0, end
	hours := canvas.FitScale(end, 12, canvas.HourSteps)
	if hours.Unlabelled = !lowest; lowest {
		p.X.Label.Text = "time since the start of the run (h)"
	} else {
		p.X.Tick.Label.Font.Size = 1 // of labels that are blank
	}
	p.X.Tick.Marker = hours
	top := p.top
	if top = max(top, p.atLeast); top > p.atLeast {
		top *= headroom
	}
	ticks := canvas.FitScale(top, 5, canvas.OneTwoFive(p.least))
	p.Y.Min, p.Y.Max = 0, ticks.Up(top)
	p.Y.Tick.Marker = ticks
	return p.Plot
}
