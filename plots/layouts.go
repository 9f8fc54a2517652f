package plots

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var _ = register(&Drawer{Name: "layouts", File: "layouts-*",
	Short: "Throughput and cost of a run over its time, by the layout in which it trained",
	Long: `Draws how fast one run trained over its time and what its instances cost, coloured by the layout in which it
trained: over GPU types and zones (model.layout) or in pipelines. It is the first run that kept its timeline. Of more
than seven layouts, those that trained for the shortest time are drawn as one.`,
	Draw: func(set *results.Set) ([]Named, error) {
		if manyJobs(set) {
			return nil, ErrNothing
		}
		inLayouts := func(s results.Span) bool { return s.Layout != "" }
		return ofRuns(set, func(r *results.Run) bool { return slices.ContainsFunc(r.Spans, inLayouts) },
			func(r *results.Run) (*canvas.Figure, error) { return Layouts(r.Summary, r.Spans) })
	}})

// maxLayouts is how many layouts have a colour of their own.
const maxLayouts = 7

// Layouts draws a run of a job in layouts over its time, in hours: samples per second, what the instances cost an
// hour, and what a million samples cost, coloured by layout. spans are those of the run, in order. A run that never
// trained in a layout is ErrNothing.
func Layouts(run results.Summary, spans []results.Span) (*canvas.Figure, error) {
	if err := checkSummary(&run); err != nil {
		return nil, err
	}
	steps, err := stepsOf(spans)
	if err != nil {
		return nil, err
	}
	drawn := layouts{timeline: timeline{steps: steps, objective: run.ObjectiveS / 3600}}
	drawn.rank()
	if len(drawn.names) == 0 {
		return nil, ErrNothing
	}
	perMillion := make([]float64, len(steps.rate))
	for i, rate := range steps.rate {
		if rate > 0 {
			perMillion[i] = steps.usd[i] / 3600 / rate * 1e6
		}
	}
	return &canvas.Figure{
		Width:  7 * vg.Inch,
		Height: 6.6 * vg.Inch,
		Title:  timelineTitle(&run),
		Keys:   drawn.keys(),
		Panels: [][]*plot.Plot{
			{drawn.values("throughput (samples/s)", steps.rate, 1e-3, false)},
			{drawn.values("instances (USD/h)", steps.usd, 1e-6, false)},
			{drawn.values("USD per million samples", perMillion, 1e-6, true)},
		},
	}, nil
}

// layouts is a timeline by layout.
type layouts struct {
	timeline
	names []string // those with a colour, by the time for which they trained
	more  int      // how many others there are
}

// rank orders the layouts by the time for which they trained.
func (t *layouts) rank() {
	hours := map[string]float64{}
	for i, name := range t.layout {
		if name == "" {
			continue
		}
		if _, known := hours[name]; !known {
			t.names = append(t.names, name)
		}
		hours[name] += t.at[i+1] - t.at[i]
	}
	slices.SortStableFunc(t.names, func(a, b string) int { return cmp.Compare(hours[b], hours[a]) })
	if len(t.names) > maxLayouts {
		t.more = len(t.names) - maxLayouts
		t.names = t.names[:maxLayouts]
	}
}

// fill is the colour of the n-th layout; the last is that of all others.
func (t *layouts) fill(rank int) canvas.Paint {
	if rank == len(t.names) {
		return canvas.Tint(canvas.Grey, 0.6)
	}
	return canvas.Tint(canvas.TypeColor(rank), 0.6)
}

// of is the number of the layout of a stretch; -1: none.
func (t *layouts) of(i int) int {
	if t.layout[i] == "" {
		return -1
	}
	at := slices.Index(t.names, t.layout[i])
	if at < 0 {
		return len(t.names)
	}
	return at
}

func (t *layouts) keys() (keys []canvas.Key) {
	for i, name := range t.names {
		keys = append(keys, canvas.Key{Text: canvas.Label(name, 110), Fill: t.fill(i)})
	}
	if t.more > 0 {
		keys = append(keys, canvas.Key{Text: fmt.Sprintf("%d other layouts", t.more), Fill: t.fill(len(t.names))})
	}
	return append(keys, canvas.Key{Text: "objective, " + canvas.ShortNumber(t.objective) + " h", Line: &objectiveLine})
}

// values draws a number of each stretch, as areas by layout; where there is none, and something is paid, in light grey.
func (t *layouts) values(name string, values []float64, smallest float64, lowest bool) *plot.Plot {
	panel := t.panel(name, lowest)
	zero := make([]float64, len(values))
	for from := 0; from < len(values); {
		layout := t.of(from)
		to := from + 1
		for to < len(values) && t.of(to) == layout {
			to++
		}
		area := canvas.Area{Low: t.stairs(zero, from, to), High: t.stairs(values, from, to), Fill: canvas.LightGrey}
		if layout >= 0 {
			area.Fill = t.fill(layout)
			area.Edge = draw.LineStyle{Color: t.fill(layout), Width: 0.8}
		}
		panel.Add(area)
		from = to
	}
	return t.finish(panel, headroom*slices.Max(values), smallest, 4)
}
