package plots

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// MaxSimulated is how many simulated runs are drawn at most.
const MaxSimulated = 200

// lines are how the observed run and the simulated ones are drawn.
var (
	observedLine  = draw.LineStyle{Color: canvas.Black, Width: 2.2}
	simulatedLine = draw.LineStyle{Color: canvas.TypeColor(1), Width: 0.9}
	manyLine      = draw.LineStyle{Color: canvas.Tint(canvas.TypeColor(1), 0.55), Width: 0.6}
)

// Observed draws an observed run over simulated ones, over the time since their beginning: the
// instances held, the dollars and the progress of each. Where there is one simulated run,
// the title has the figures of both. Errors say what cannot be drawn.
func Observed(observed results.Run, simulated []results.Run) (*canvas.Figure, error) {
	if len(simulated) == 0 || len(simulated) > MaxSimulated {
		return nil, fmt.Errorf("plots: %d simulated runs, want 1 to %d", len(simulated), MaxSimulated)
	}
	style := simulatedLine
	if len(simulated) > 1 {
		style = manyLine
	}
	panels := []*overTime{newOverTime("held (instances)", heldNow, 1, 1, true), newOverTime("cost (USD)", costNow, 1e-6, 1e-6, false),
		newOverTime("progress (%)", progressNow, 1, 100, false)}
	// A single simulated run lies upon the observed one, whose line is wider; many lie below it.
	order, styles := []*results.Run{&observed}, []draw.LineStyle{observedLine}
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
	f := &canvas.Figure{Width: 7 * vg.Inch, Height: 6.2 * vg.Inch, Title: observedTitles(&observed, simulated),
		Keys: []canvas.Key{{Text: "observed", Line: &observedLine}, {Text: simulatedText(simulated), Line: &style}}}
	for i, p := range panels {
		f.Panels = append(f.Panels, []*plot.Plot{p.finish(endOf(&observed, simulated), i == len(panels)-1)})
	}
	return f, nil
}

func simulatedText(simulated []results.Run) string {
	if n := len(simulated); n > 1 {
		return fmt.Sprintf("simulated, %d runs", n)
	}
	return "simulated, " + canvas.Label(simulated[0].Summary.Policy, 30)
}

func observedTitles(observed *results.Run, simulated []results.Run) []string {
	out := []string{canvas.Label(observed.Summary.Scenario, 60) + ": observed and simulated"}
	if len(simulated) == 1 {
		out = append(out, "observed "+endText(&observed.Summary)+"; simulated "+endText(&simulated[0].Summary))
	}
	return out
}

// endText is finish and cost of a run.
func endText(s *results.Summary) string {
	end := "not finished after "
	if s.Finished {
		end = "finished after "
	}
	return end + canvas.ShortNumber(s.LastedS()/3600) + " h, " + units.USD(s.CostUSD) + " USD"
}

// endOf is where the last of the runs ends, in hours.
func endOf(observed *results.Run, simulated []results.Run) float64 {
	end := observed.Spans[len(observed.Spans)-1].EndS
	for _, r := range simulated {
		end = max(end, r.Spans[len(r.Spans)-1].EndS)
	}
	return end / 3600
}

// overTime is one quantity over time.
type overTime struct {
	*plot.Plot
	of  func(row []results.Span) float64 // of an interval: a row a pool
	y   string
	top float64
	// step is the smallest of the axis, reaches what it has at least; stairs says that a value
	// holds for an interval, not at its end.
	step, reaches float64
	stairs        bool
}

func newOverTime(y string, of func([]results.Span) float64, step, reaches float64, stairs bool) *overTime {
	p := canvas.NewPanel("", "", y)
	p.Add(canvas.Grid())
	return &overTime{Plot: p, of: of, y: y, step: step, reaches: reaches, stairs: stairs}
}

func heldNow(rows []results.Span) float64 {
	n := 0.0
	for i := range rows {
		n += float64(rows[i].Held())
	}
	return n
}

func costNow(rows []results.Span) float64     { return rows[0].CostUSD }
func progressNow(rows []results.Span) float64 { return 100 * rows[0].Progress }

// add adds the line of a run: stairs of what is held, points at the ends of intervals of
// what grows.
func (p *overTime) add(r *results.Run, style draw.LineStyle) error {
	points := plotter.XYs{{}}
	for rows, err := range results.Stretches(r.Spans) {
		if err != nil {
			return fmt.Errorf("plots: %s: %w", r.Summary.Policy, err)
		}
		first, v := &rows[0], p.of(rows)
		if !drawable(v) || !drawable(first.StartS) || !drawable(first.EndS) || first.EndS <= first.StartS {
			return fmt.Errorf("plots: %s: %s is %v from %v to %v s, want 0 to %g in an interval", r.Summary.Policy, p.y, v, first.StartS, first.EndS, maxNumber)
		}
		if p.stairs {
			points = append(points, plotter.XY{X: first.StartS / 3600, Y: v})
		}
		points = append(points, plotter.XY{X: first.EndS / 3600, Y: v})
		p.top = max(p.top, v)
	}
	if len(r.Spans) == 0 {
		return fmt.Errorf("plots: %s: no intervals", r.Summary.Policy)
	}
	if p.stairs {
		points = points[1:]
	}
	p.Add(canvas.Line(points, style))
	return nil
}

// finish sets the axes; only the lowest panel says the hours.
func (p *overTime) finish(end float64, lowest bool) *plot.Plot {
	setRunHours(p.Plot, end, lowest)
	top := max(p.top, p.reaches)
	if top > p.reaches {
		top *= headroom
	}
	ticks := canvas.FitScale(top, 5, canvas.OneTwoFive(p.step))
	p.Y.Min, p.Y.Max = 0, ticks.Up(top)
	p.Y.Tick.Marker = ticks
	return p.Plot
}
