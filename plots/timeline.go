package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "timeline", File: "timeline-*",
	Short: "Instances, prices and progress of a run over its time",
	Long: `Draws one run over its time: how many instances could be held, how many were, at what price, and how far the
job got: the first run that kept its timeline.`,
	Draw: func(set *results.Set) ([]Named, error) {
		if manyJobs(set) {
			return nil, ErrNothing
		}
		return ofRuns(set, func(r *results.Run) bool { return len(r.Spans) > 0 },
			func(r *results.Run) (*canvas.Figure, error) { return Timeline(r.Summary, r.Spans) })
	}})

// Timeline draws one run over its time, in hours: how many instances could be
// held, how many were, at what price, and how far the job got. spans are those
// of the run, in order. A run whose ObjectiveLoss is NaN has no objective, as one that was observed.
func Timeline(run results.Summary, spans []results.Span) (*canvas.Figure, error) {
	checked := run
	free := math.IsNaN(run.ObjectiveLoss) && run.ObjectiveS == 0
	if free {
		checked.ObjectiveS = max(run.LastedS(), 1e-3)
	}
	if err := checkSummary(&checked); err != nil {
		return nil, err
	}
	steps, err := stepsOf(spans)
	if err != nil {
		return nil, err
	}
	if spans[0].Run != run.Run {
		return nil, fmt.Errorf("plots: spans of run %d for a summary of run %d", spans[0].Run, run.Run)
	}
	drawn := timeline{steps: steps, objective: run.ObjectiveS / 3600}
	figure := &canvas.Figure{Width: 7 * vg.Inch, Keys: drawn.keys()}
	if free { // what could be held is not known
		figure.Height = 5.9 * vg.Inch
		figure.Title = observedTitle(&run)
	} else {
		figure.Height = 7.4 * vg.Inch
		figure.Title = timelineTitle(&run)
		figure.Panels = [][]*plot.Plot{{drawn.capacity()}}
	}
	figure.Panels = append(figure.Panels, []*plot.Plot{drawn.held()}, []*plot.Plot{drawn.price()},
		[]*plot.Plot{drawn.progress()})
	return figure, nil
}

func timelineTitle(run *results.Summary) []string {
	scenario := canvas.Label(run.Scenario, 40)
	objective := canvas.Label(run.Objective, 40)
	return []string{
		fmt.Sprintf("%s: %s, %s, %s", policyText(run), scenario, objective, run.From()),
		fmt.Sprintf("%s; %s; %s USD", market(run.Market), outcome(run), units.USD(run.CostUSD)),
	}
}

// outcome says when a run finished, and whether it met its objective.
func outcome(run *results.Summary) string {
	if run.FinishS == nil {
		if run.Met { // most of the work for a budget, or a share of effective time
			return fmt.Sprintf("%s of the work done, objective met", units.Percent(run.Progress))
		}
		return "not finished by the horizon"
	}
	finished := fmt.Sprintf("finished after %s h", canvas.ShortNumber(*run.FinishS/3600))
	late := *run.FinishS - run.ObjectiveS
	switch {
	case run.Met:
		return finished + ", objective met"
	case late <= 0:
		return finished + ", objective missed"
	}
	return fmt.Sprintf("%s, %s h late", finished, canvas.ShortNumber(late/3600))
}

// observedTitle is the title of a run without an objective.
func observedTitle(run *results.Summary) []string {
	end := fmt.Sprintf("not finished after %s h", canvas.ShortNumber(run.HorizonS/3600))
	if run.Finished {
		end = fmt.Sprintf("finished after %s h", canvas.ShortNumber(*run.FinishS/3600))
	}
	return []string{
		policyText(run) + ": " + canvas.Label(run.Scenario, 40),
		fmt.Sprintf("%s; %s USD", end, units.USD(run.CostUSD)),
	}
}

type timeline struct {
	*steps
	objective float64 // hours; 0: there is none
}

// end is where the time axis ends: with the run, or past the objective.
func (t *timeline) end() float64 {
	return max(t.at[len(t.at)-1], 1.02*t.objective)
}

// style is how the lines of a series are drawn: the colour says the instance
// type, and dashes that it is on demand.
func (t *timeline) style(e *series) draw.LineStyle {
	types := firsts(each(t.series, func(s *series) string { return s.instance }))
	color := canvas.TypeColor(slices.Index(types, e.instance))
	line := draw.LineStyle{Color: color, Width: 1.1}
	if e.market == results.OnDemand {
		line.Dashes = []vg.Length{4, 2}
	}
	return line
}

// layered is the style of the series that is shown i-th: the first lines are
// wider, so that they show below others of the same value.
func (t *timeline) layered(i int) draw.LineStyle {
	shown := t.shown()
	style := t.style(shown[i])
	style.Width += min(0.4*vg.Length(len(shown)-1-i), 2)
	return style
}

// area is the colour that the instances of a series are stacked in.
func (t *timeline) area(e *series) canvas.Paint {
	if e.market == results.OnDemand {
		return canvas.Tint(t.style(e).Color.(color.RGBA), 0.25)
	}
	return canvas.Tint(t.style(e).Color.(color.RGBA), 0.6)
}

// shown are the series but those on demand that were never held, whose price
// would only press the others down.
func (t *timeline) shown() []*series {
	return slices.DeleteFunc(slices.Clone(t.series), func(e *series) bool {
		return e.market == results.OnDemand && !e.limited && slices.Max(e.held) == 0
	})
}

var (
	progressLine  = draw.LineStyle{Color: canvas.Black, Width: 1.2}
	objectiveLine = draw.LineStyle{Color: canvas.Grey, Width: 1, Dashes: []vg.Length{2, 2}}
)

func (t *timeline) keys() []canvas.Key {
	var keys []canvas.Key
	for _, e := range t.shown() {
		line := t.style(e)
		text := canvas.Label(e.instance, 30) + " " + canvas.Label(e.market, 12)
		keys = append(keys, canvas.Key{Text: text, Line: &line, Fill: t.area(e)})
	}
	keys = append(keys, canvas.Key{Text: "progress", Line: &progressLine})
	if t.objective == 0 {
		return keys
	}
	return append(keys, canvas.Key{Text: "objective, " + canvas.ShortNumber(t.objective) + " h", Line: &objectiveLine})
}

// panel is an empty panel over the run's time; only the lowest says the hours.
func (t *timeline) panel(y string, lowest bool) *plot.Plot {
	panel := canvas.NewPanel("", "", y)
	setRunHours(panel, t.end(), lowest)
	panel.Add(canvas.Grid())
	return panel
}

// setRunHours sets the axis of a run's time; only the lowest panel says the hours.
func setRunHours(p *plot.Plot, end float64, lowest bool) {
	ticks := canvas.FitScale(end, 12, canvas.HourSteps)
	if lowest {
		p.X.Label.Text = "time since the start of the run (h)"
	} else {
		ticks.Unlabelled = true
		p.X.Tick.Label.Font.Size = 1 // of labels that are blank
	}
	canvas.SetAxis(&p.X, 0, end, ticks)
}

// finish sets the range of a panel whose largest value is top to parts of a
// round step, at least the smallest, and marks the objective.
func (t *timeline) finish(p *plot.Plot, top, smallest float64, parts int) *plot.Plot {
	top = max(top, smallest)
	ticks := canvas.FitScale(top, parts, canvas.OneTwoFive(smallest))
	canvas.SetAxis(&p.Y, 0, ticks.Up(top), ticks)
	if t.objective > 0 {
		p.Add(canvas.Vertical(t.objective, 0, p.Y.Max, objectiveLine))
	}
	return p
}

// headroom keeps lines off the upper edge of their panel.
const headroom = 1.03

func (t *timeline) capacity() *plot.Plot {
	panel := t.panel("capacity (instances)", false)
	top := 0.0
	for i, e := range t.shown() {
		if e.limited {
			panel.Add(canvas.Line(t.stairs(e.capacity, 0, len(e.capacity)), t.layered(i)))
			top = max(top, slices.Max(e.capacity))
		}
	}
	if !slices.ContainsFunc(t.series, func(e *series) bool { return e.limited }) {
		panel.Add(canvas.Note{X: t.end() / 2, Y: 0.5, Text: "not limited by the trace"})
	}
	return t.finish(panel, headroom*top, 1, 4)
}

// held stacks the series, each on those before it.
func (t *timeline) held() *plot.Plot {
	panel := t.panel("held (instances)", false)
	base := make([]float64, len(t.at)-1)
	for _, e := range t.series {
		top := slices.Clone(base)
		for k, held := range e.held {
			top[k] += held
		}
		for from := 0; from < len(top); {
			some := e.held[from] > 0
			to := from + 1
			for to < len(top) && (e.held[to] > 0) == some {
				to++
			}
			if some {
				low := t.stairs(base, from, to)
				high := t.stairs(top, from, to)
				panel.Add(canvas.Area{Low: low, High: high, Fill: t.area(e), Edge: t.style(e)})
			}
			from = to
		}
		base = top
	}
	return t.finish(panel, headroom*slices.Max(base), 1, 4)
}

func (t *timeline) price() *plot.Plot {
	panel := t.panel("price (USD/h each)", false)
	top := 0.0
	for _, e := range t.shown() {
		panel.Add(canvas.Line(t.stairs(e.price, 0, len(e.price)), t.style(e)))
		top = max(top, slices.Max(e.price))
	}
	return t.finish(panel, headroom*top, 1e-6, 4)
}

func (t *timeline) progress() *plot.Plot {
	panel := t.panel("progress (%)", true)
	points := make(plotter.XYs, len(t.at))
	for i := range points {
		points[i] = plotter.XY{X: t.at[i], Y: t.steps.progress[i]}
	}
	panel.Add(canvas.Line(points, progressLine))
	return t.finish(panel, 100, 1, 5)
}

// stairs are the points of a step line over the stretches [from, to), without
// those that change nothing.
func (t *timeline) stairs(values []float64, from, to int) plotter.XYs {
	points := plotter.XYs{{X: t.at[from], Y: values[from]}}
	for i := from + 1; i < to; i++ {
		if values[i] != values[i-1] {
			points = append(points, plotter.XY{X: t.at[i], Y: values[i-1]}, plotter.XY{X: t.at[i], Y: values[i]})
		}
	}
	return append(points, plotter.XY{X: t.at[to], Y: values[to-1]})
}

// steps are the spans of one run in the form in which they are drawn.
type steps struct {
	at       []float64 // hours: where each stretch begins, and where the last ends
	progress []float64 // per cent at each of them
	series   []*series

	layout []string  // of each stretch: that in which the job trains, "" where it has none
	rate   []float64 // samples per second, of a job in layouts
	usd    []float64 // USD/h: the instances that are held
}

// series is what is drawn of one instance type on one market: a value for each
// stretch.
type series struct {
	instance, market string
	capacity         []float64
	held             []float64
	price            []float64 // USD/h, mean over the pools
	pools            int
	limited          bool // whether any pool's capacity is
}

// stepsOf checks the spans of a run, which are in order, and gathers them.
func stepsOf(spans []results.Span) (*steps, error) {
	if len(spans) == 0 {
		return nil, fmt.Errorf("plots: no spans")
	}
	pools := results.FirstSpans(spans)
	s := &steps{at: []float64{spans[0].StartS / 3600}, progress: []float64{0}}
	find := s.seriesOf(pools)
	for stretch, err := range results.Stretches(spans) {
		if err != nil {
			return nil, fmt.Errorf("plots: %w", err)
		}
		s.add(stretch, find)
	}
	for i := range spans {
		if err := checkNumbers(&spans[i]); err != nil {
			return nil, fmt.Errorf("plots: run %d, span at %v s: %w", spans[0].Run, spans[i].StartS, err)
		}
	}
	return s, nil
}

// seriesOf makes a series for each kind of pool and says which is whose.
func (s *steps) seriesOf(pools []results.Span) []*series {
	find := make([]*series, len(pools))
	for i, pool := range pools {
		for _, have := range s.series {
			if have.instance == pool.InstanceType && have.market == pool.Market {
				find[i] = have
			}
		}
		if find[i] == nil {
			find[i] = &series{instance: pool.InstanceType, market: pool.Market}
			s.series = append(s.series, find[i])
		}
		find[i].pools++
	}
	return find
}

// add adds a stretch: a row a pool, whose series find has.
func (s *steps) add(stretch []results.Span, find []*series) {
	for _, e := range s.series {
		e.capacity = append(e.capacity, 0)
		e.held = append(e.held, 0)
		e.price = append(e.price, 0)
	}
	last := len(s.at) - 1
	usd := 0.0
	for i := range stretch {
		e := find[i]
		row := &stretch[i]
		held := float64(row.Held())
		usd += held * row.PriceUSDPerH
		e.held[last] += held
		e.price[last] += row.PriceUSDPerH / float64(e.pools)
		if row.Capacity != nil {
			e.capacity[last] += float64(*row.Capacity)
			e.limited = true
		}
	}
	s.layout = append(s.layout, stretch[0].Layout)
	s.rate = append(s.rate, stretch[0].RateProgressPerS)
	s.usd = append(s.usd, usd)
	s.at = append(s.at, stretch[0].EndS/3600)
	s.progress = append(s.progress, 100*stretch[0].Progress)
}

// checkNumbers says which number of a row cannot be drawn.
func checkNumbers(row *results.Span) error {
	counts := min(row.Ready, row.Starting, row.Noticed)
	if row.Capacity != nil {
		counts = min(counts, *row.Capacity)
	}
	switch {
	case counts < 0:
		return fmt.Errorf("pool %q: a number of instances is %d", row.Pool, counts)
	case !drawable(row.PriceUSDPerH):
		return fmt.Errorf("pool %q: price_usd_per_h is %v, want 0 to %g", row.Pool, row.PriceUSDPerH, maxNumber)
	case !drawable(row.StartS) || !drawable(row.EndS):
		return fmt.Errorf("t_end_s is %v, want 0 to %g", row.EndS, maxNumber)
	case !drawable(row.RateProgressPerS):
		return fmt.Errorf("rate_progress_per_s is %v, want 0 to %g", row.RateProgressPerS, maxNumber)
	case !(row.Progress >= 0 && row.Progress <= 1):
		return fmt.Errorf("progress_fraction is %v, want 0 to 1", row.Progress)
	}
	return nil
}
