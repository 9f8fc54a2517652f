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

// How the observed run and the simulated ones are drawn.
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
	panels := []*overTime{
		newOverTime("held (instances)", heldNow, 1, 1, true),
		newOverTime("cost (USD)", costNow, 1e-6, 1e-6, false),
		newOverTime("progress (%)", progressNow, 1, 100, false),
	}
	type line struct {
		run   *results.Run
		style draw.LineStyle
	}
	var lines []line
	for i := range simulated {
		lines = append(lines, line{&simulated[i], style})
	}
	// A single simulated run lies upon the observed one, whose line is wider; many lie below it.
	if len(simulated) == 1 {
		lines = []line{{&observed, observedLine}, lines[0]}
	} else {
		lines = append(lines, line{&observed, observedLine})
	}
	for _, one := range lines {
		for _, panel := range panels {
			if err := panel.add(one.run, one.style); err != nil {
				return nil, err
			}
		}
	}
	figure := &canvas.Figure{
		Width:  7 * vg.Inch,
		Height: 6.2 * vg.Inch,
		Title:  observedTitles(&observed, simulated),
		Keys:   []canvas.Key{{Text: "observed", Line: &observedLine}, {Text: simulatedText(simulated), Line: &style}},
	}
	for i, panel := range panels {
		figure.Panels = append(figure.Panels,
			[]*plot.Plot{panel.finish(endOf(&observed, simulated), i == len(panels)-1)})
	}
	return figure, nil
}

func simulatedText(simulated []results.Run) string {
	if len(simulated) > 1 {
		return fmt.Sprintf("simulated, %d runs", len(simulated))
	}
	return "simulated, " + canvas.Label(simulated[0].Summary.Policy, 30)
}

func observedTitles(observed *results.Run, simulated []results.Run) []string {
	lines := []string{canvas.Label(observed.Summary.Scenario, 60) + ": observed and simulated"}
	if len(simulated) == 1 {
		lines = append(lines, "observed "+endText(&observed.Summary)+"; simulated "+endText(&simulated[0].Summary))
	}
	return lines
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
	for _, run := range simulated {
		end = max(end, run.Spans[len(run.Spans)-1].EndS)
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
	held := 0.0
	for i := range rows {
		held += float64(rows[i].Held())
	}
	return held
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
		first := &rows[0]
		value := p.of(rows)
		if !drawable(value) || !drawable(first.StartS) || !drawable(first.EndS) || first.EndS <= first.StartS {
			return fmt.Errorf("plots: %s: %s is %v from %v to %v s, want 0 to %g in an interval",
				r.Summary.Policy, p.y, value, first.StartS, first.EndS, maxNumber)
		}
		if p.stairs {
			points = append(points, plotter.XY{X: first.StartS / 3600, Y: value})
		}
		points = append(points, plotter.XY{X: first.EndS / 3600, Y: value})
		p.top = max(p.top, value)
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
	canvas.SetAxis(&p.Y, 0, ticks.Up(top), ticks)
	return p.Plot
}
