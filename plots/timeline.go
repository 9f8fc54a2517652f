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

var _ = register(&Drawer{Name: "timeline", File: "timeline-*", Short: "Instances, prices and progress of a run over its time",
	Long: `Draws one run over its time: how many instances could be held, how many were, at what price, and how far the job
got: the first run that kept its timeline.`,
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
	s, err := stepsOf(spans)
	if err != nil {
		return nil, err
	}
	if spans[0].Run != run.Run {
		return nil, fmt.Errorf("plots: spans of run %d for a summary of run %d", spans[0].Run, run.Run)
	}
	t := timeline{steps: s, objective: run.ObjectiveS / 3600}
	panels := [][]*plot.Plot{{t.held()}, {t.price()}, {t.progress()}}
	if free { // what could be held is not known
		return &canvas.Figure{Width: 7 * vg.Inch, Height: 5.9 * vg.Inch, Title: observedTitle(&run), Keys: t.keys(), Panels: panels}, nil
	}
	return &canvas.Figure{
		Width: 7 * vg.Inch, Height: 7.4 * vg.Inch,
		Title: timelineTitle(&run), Keys: t.keys(),
		Panels: append([][]*plot.Plot{{t.capacity()}}, panels...),
	}, nil
}

func timelineTitle(run *results.Summary) []string {
	end := "not finished by the horizon"
	switch {
	case run.Met && run.FinishS == nil: // most of the work for a budget, or a share of effective time
		end = fmt.Sprintf("%s of the work done, objective met", units.Percent(run.Progress))
	case run.Met:
		end = fmt.Sprintf("finished after %s h, objective met", canvas.ShortNumber(*run.FinishS/3600))
	case run.Finished && *run.FinishS <= run.ObjectiveS:
		end = fmt.Sprintf("finished after %s h, objective missed", canvas.ShortNumber(*run.FinishS/3600))
	case run.Finished:
		end = fmt.Sprintf("finished after %s h, %s h late", canvas.ShortNumber(*run.FinishS/3600), canvas.ShortNumber((*run.FinishS-run.ObjectiveS)/3600))
	}
	return []string{
		fmt.Sprintf("%s: %s, %s, %s", policyText(run), canvas.Label(run.Scenario, 40), canvas.Label(run.Objective, 40), run.From()),
		fmt.Sprintf("%s; %s; %s USD", market(run.Market), end, units.USD(run.CostUSD)),
	}
}

// observedTitle is the title of a run without an objective.
func observedTitle(run *results.Summary) []string {
	end := fmt.Sprintf("not finished after %s h", canvas.ShortNumber(run.HorizonS/3600))
	if run.Finished {
		end = fmt.Sprintf("finished after %s h", canvas.ShortNumber(*run.FinishS/3600))
	}
	return []string{policyText(run) + ": " + canvas.Label(run.Scenario, 40), fmt.Sprintf("%s; %s USD", end, units.USD(run.CostUSD))}
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
	c := canvas.TypeColor(slices.Index(types, e.instance))
	line := draw.LineStyle{Color: c, Width: 1.1}
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
		keys = append(keys, canvas.Key{Text: canvas.Label(e.instance, 30) + " " + canvas.Label(e.market, 12), Line: &line, Fill: t.area(e)})
	}
	keys = append(keys, canvas.Key{Text: "progress", Line: &progressLine})
	if t.objective == 0 {
		return keys
	}
	return append(keys, canvas.Key{Text: "objective, " + canvas.ShortNumber(t.objective) + " h", Line: &objectiveLine})
}

// panel is an empty panel over the run's time; only the lowest says the hours.
func (t *timeline) panel(y string, lowest bool) *plot.Plot {
	p := canvas.NewPanel("", "", y)
	setRunHours(p, t.end(), lowest)
	p.Add(canvas.Grid())
	return p
}

// setRunHours sets the axis of a run's time; only the lowest panel says the hours.
func setRunHours(p *plot.Plot, end float64, lowest bool) {
	p.X.Min, p.X.Max = 0, end
	ticks := canvas.FitScale(end, 12, canvas.HourSteps)
	if ticks.Unlabelled = !lowest; lowest {
		p.X.Label.Text = "time since the start of the run (h)"
	} else {
		p.X.Tick.Label.Font.Size = 1 // of labels that are blank
	}
	p.X.Tick.Marker = ticks
}

// finish sets the range of a panel whose largest value is top to parts of a
// round step, at least the smallest, and marks the objective.
func (t *timeline) finish(p *plot.Plot, top, smallest float64, parts int) *plot.Plot {
	ticks := canvas.FitScale(max(top, smallest), parts, canvas.OneTwoFive(smallest))
	p.Y.Min, p.Y.Max = 0, ticks.Up(max(top, smallest))
	p.Y.Tick.Marker = ticks
	if t.objective > 0 {
		p.Add(canvas.Line(plotter.XYs{{X: t.objective, Y: 0}, {X: t.objective, Y: p.Y.Max}}, objectiveLine))
	}
	return p
}

// headroom keeps lines off the upper edge of their panel.
const headroom = 1.03

func (t *timeline) capacity() *plot.Plot {
	p := t.panel("capacity (instances)", false)
	top := 0.0
	for i, e := range t.shown() {
		if e.limited {
			p.Add(canvas.Line(t.stairs(e.capacity, 0, len(e.capacity)), t.layered(i)))
			top = max(top, slices.Max(e.capacity))
		}
	}
	if !slices.ContainsFunc(t.series, func(e *series) bool { return e.limited }) {
		p.Add(canvas.Note{X: t.end() / 2, Y: 0.5, Text: "not limited by the trace"})
	}
	return t.finish(p, headroom*top, 1, 4)
}

// held stacks the series, each on those before it.
func (t *timeline) held() *plot.Plot {
	p := t.panel("held (instances)", false)
	base := make([]float64, len(t.at)-1)
	for _, e := range t.series {
		top := slices.Clone(base)
		for k, n := range e.held {
			top[k] += n
		}
		for from, to := 0, 0; from < len(top); from = to {
			for to = from + 1; to < len(top) && (e.held[to] > 0) == (e.held[from] > 0); to++ {
			}
			if e.held[from] > 0 {
				p.Add(canvas.Area{Low: t.stairs(base, from, to), High: t.stairs(top, from, to), Fill: t.area(e), Edge: t.style(e)})
			}
		}
		base = top
	}
	return t.finish(p, headroom*slices.Max(base), 1, 4)
}

func (t *timeline) price() *plot.Plot {
	p := t.panel("price (USD/h each)", false)
	top := 0.0
	for _, e := range t.shown() {
		p.Add(canvas.Line(t.stairs(e.price, 0, len(e.price)), t.style(e)))
		top = max(top, slices.Max(e.price))
	}
	return t.finish(p, headroom*top, 1e-6, 4)
}

func (t *timeline) progress() *plot.Plot {
	p := t.panel("progress (%)", true)
	points := make(plotter.XYs, len(t.at))
	for i := range points {
		points[i] = plotter.XY{X: t.at[i], Y: t.steps.progress[i]}
	}
	p.Add(canvas.Line(points, progressLine))
	return t.finish(p, 100, 1, 5)
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
	for i, p := range pools {
		for _, have := range s.series {
			if have.instance == p.InstanceType && have.market == p.Market {
				find[i] = have
			}
		}
		if find[i] == nil {
			find[i] = &series{instance: p.InstanceType, market: p.Market}
			s.series = append(s.series, find[i])
		}
		find[i].pools++
	}
	return find
}

func (s *steps) add(stretch []results.Span, find []*series) {
	for _, e := range s.series {
		e.capacity, e.held, e.price = append(e.capacity, 0), append(e.held, 0), append(e.price, 0)
	}
	last, usd := len(s.at)-1, 0.0
	for i := range stretch {
		e, row := find[i], &stretch[i]
		usd += float64(row.Held()) * row.PriceUSDPerH
		e.held[last] += float64(row.Held())
		e.price[last] += row.PriceUSDPerH / float64(e.pools)
		if row.Capacity != nil {
			e.capacity[last] += float64(*row.Capacity)
			e.limited = true
		}
	}
	s.layout, s.rate, s.usd = append(s.layout, stretch[0].Layout), append(s.rate, stretch[0].RateProgressPerS), append(s.usd, usd)
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
