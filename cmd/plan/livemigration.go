package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/traces/describe"
)

// parcaeFlags are the inputs of one plan of Parcae.
type parcaeFlags struct {
	Network     string        `flag:"network" required:"true" complete:"@parcae-networks" help:"<name> of a network that comes with marigram: {names}"`
	Speeds      string        `flag:"speeds" help:"CSV <file> of speeds (pipelines,stages,samples_per_s), instead of those of the network"`
	Instances   int           `flag:"instances" help:"instances now; by default the last count of the trace"`
	Layout      string        `flag:"layout" help:"present layout, <DxP>: pipelines x stages; by default none"`
	Coming      []int         `flag:"forecast" help:"instances of the coming intervals, <N,N,...>"`
	Ahead       int           `flag:"look-ahead" default:"12" min:"1" max:"1000" help:"intervals to plan from a trace, 1 to 1000"`
	Interval    time.Duration `flag:"interval" default:"1m" above:"0" help:"length of an interval"`
	Objective   string        `flag:"objective" default:"throughput" names:"throughput,liveput" help:"throughput (Parcae's code) or liveput (its paper, Eq. 4)"`
	Preempted   *int          `flag:"preempted" help:"number of preemptions for the printed liveput; by default 1"`
	AsPublished bool          `flag:"as-published" help:"reproduce the unintended behaviours of the public code"`
	Trace       parcaeTraceFlags
	cli.Answer
}

var _ = cli.NameList("parcae-networks", func() []cli.Name { return cli.Names(pipeline.ParcaeNetworks()...) })

// parcaeObjectives are the values of --objective.
var parcaeObjectives = map[string]parcae.Objective{
	"throughput": parcae.Throughput,
	"liveput":    parcae.Liveput,
}

func parcaeCommand() *cobra.Command {
	var f parcaeFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "parcae",
		Short: "Show the layout that Parcae would choose now, and its plan",
		Long: `Plans the layouts (pipelines x stages, one instance per stage) of the coming
intervals from a forecast of the number of instances, as Parcae (NSDI 2024) does.
The first layout is the decision for now. The plan maximises the samples trained,
with the mean migration cost over all sets of preempted instances.

The forecast is a list of numbers of instances, or a forecaster makes it from a
trace: p3 (Parcae's own) or its hours HADP, HASP, LADP and LASP, the folder or file
of a trace, or pulled:NAME.

` + cli.ForecastersHelp(),
		Example: `  marigram plan parcae --network gpt-1.5b --instances 28 --layout 2x14 --forecast 26,26,28,28
  marigram plan parcae --network bert --history p3 --now 120 --layout 9x3 --json
  marigram plan parcae --network gpt-1.5b --speeds mine.csv --history HADP --forecaster persistence`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := f.plan()
			if err != nil {
				return err
			}
			return f.Give(cmd, plan, plan.print)
		},
	}, &f)
}

func (f *parcaeFlags) plan() (*parcaePlan, error) {
	model, err := f.model()
	if err != nil {
		return nil, err
	}
	if err := f.lookahead(model.Quirks); err != nil {
		return nil, err
	}
	state := parcae.State{Instances: f.Instances}
	if state.Shape, err = f.shape(model); err != nil {
		return nil, err
	}
	preempted := stats.Or(f.Preempted, min(1, f.Coming[0]))
	largest := max(f.Instances, slices.Max(f.Coming))
	switch {
	case largest > parcae.MaxPlanned:
		return nil, fmt.Errorf("%d instances, expected up to %d", largest, parcae.MaxPlanned)
	case preempted < 0 || preempted > f.Coming[0]:
		return nil, fmt.Errorf("--preempted %d, expected 0 to %d, the instances of the first interval",
			preempted, f.Coming[0])
	}
	planner := parcae.NewPlanner(model, max(largest, model.Depths[0]), f.Interval.Seconds())
	planner.Objective = parcaeObjectives[f.Objective]
	return newParcaePlan(f, model, planner, state, preempted), nil
}

func (f *parcaeFlags) model() (*pipeline.Parcae, error) {
	model, err := pipeline.LoadParcae(f.Network)
	if err != nil {
		return nil, fmt.Errorf("--network: %w", err)
	}
	if f.Speeds != "" {
		speeds, err := pipeline.OpenLayoutSpeeds(f.Speeds)
		if err != nil {
			return nil, err
		}
		if model, err = model.WithSpeeds(speeds); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Speeds, err)
		}
	}
	if f.AsPublished {
		model.Quirks = pipeline.ParcaeAsPublished()
	}
	return model, nil
}

// lookahead fills in instances and forecast.
func (f *parcaeFlags) lookahead(q pipeline.ParcaeQuirks) error {
	switch {
	case (len(f.Coming) > 0) == (f.Trace.Name != ""):
		return errors.New("expected --forecast or --history")
	case f.Trace.Name == "" && f.Instances == 0:
		return errors.New("expected --instances with --forecast")
	}
	if f.Trace.Name != "" {
		now, coming, err := f.Trace.forecast(q, f.Interval, f.Ahead)
		if err != nil {
			return err
		}
		f.Coming = coming
		if f.Instances == 0 {
			f.Instances = now
		}
	}
	for _, n := range append([]int{f.Instances}, f.Coming...) {
		if n < 0 {
			return fmt.Errorf("%d instances, expected 0 or more", n)
		}
	}
	return nil
}

// shape reads the present layout.
func (f *parcaeFlags) shape(m *pipeline.Parcae) (s parcae.Shape, err error) {
	if f.Layout == "" {
		return s, nil
	}
	if _, err := fmt.Sscanf(f.Layout, "%dx%d", &s.Pipelines, &s.Stages); err != nil ||
		f.Layout != fmt.Sprintf("%dx%d", s.Pipelines, s.Stages) || s.Pipelines < 1 {
		return s, fmt.Errorf("--layout %q, expected pipelines x stages, such as 2x14", f.Layout)
	}
	switch {
	case !slices.Contains(m.Depths, s.Stages):
		return s, fmt.Errorf("--layout %s, expected one of %v stages", f.Layout, m.Depths)
	case s.Pipelines > parcae.MaxPlanned:
		return s, fmt.Errorf("--layout %s, expected up to %d pipelines", f.Layout, parcae.MaxPlanned)
	case s.Size() > f.Instances:
		return s, fmt.Errorf("--layout %s needs %d instances, there are %d", f.Layout, s.Size(), f.Instances)
	}
	return s, nil
}

func (p *parcaePlan) print(w io.Writer) {
	if p.Configuration.Stages == 0 {
		fmt.Fprintln(w, "no layout fits: training is suspended")
	} else {
		liveput := &p.Liveput
		fmt.Fprintf(w, "take %v: %.2f samples/s; %.2f expected with %d of %d preempted, %.2f with repair\n",
			p.Configuration, p.Throughput, liveput.WithoutRepair, liveput.Preempted, p.Forecast[0], liveput.WithRepair)
		fmt.Fprintf(w, "%s in %.2f s%s\n", p.Migration.Kind, p.Migration.ExpectedMs/1000, p.Migration.about())
	}
	fmt.Fprintln(w)
	shown := table.New("interval", "instances", "layout", "migration", "expected s|%.2f", "samples|%.1f")
	for i, step := range p.Plan {
		kind := step.Migration.Kind
		if step.Stalled {
			kind += ", not over"
		}
		shown.Row(i+1, step.Instances, step.Layout.String(), kind, step.Migration.ExpectedMs/1000, step.Samples)
	}
	term.Print(w, shown)
}

func newParcaePlan(f *parcaeFlags, m *pipeline.Parcae, planner *parcae.Planner,
	state parcae.State, preempted int) *parcaePlan {
	made := &parcaePlan{
		Network:   f.Network,
		Objective: f.Objective,
		IntervalS: planner.Interval,
		Instances: state.Instances,
		Present:   parcaeLayout(state.Shape),
		Forecast:  f.Coming,
	}
	var future []parcae.Turnover
	present := state.Instances
	for _, next := range f.Coming {
		future = append(future, parcae.Turnover{Added: max(0, next-present), Removed: max(0, present-next)})
		present = next
	}
	present = state.Instances
	from := state.Shape
	for i, step := range planner.Plan(state, future, nil) {
		made.Plan = append(made.Plan, parcaeStep{
			Instances: f.Coming[i],
			Layout:    parcaeLayout(step.Shape),
			Stalled:   step.Stalled,
			Migration: migration(m, from, step.Shape, present, future[i].Removed),
			Samples:   step.Samples,
		})
		present = f.Coming[i]
		from = step.Shape
	}
	layout := made.Plan[0].Layout
	made.Configuration = layout
	made.Migration = made.Plan[0].Migration
	made.Liveput.Preempted = preempted
	if layout.Stages > 0 {
		made.Throughput = m.Speed(layout.Pipelines, layout.Stages)
		exposed := pipeline.Exposed{
			Pipelines: layout.Pipelines,
			Stages:    layout.Stages,
			Instances: f.Coming[0],
			Preempted: preempted,
		}
		made.Liveput.WithoutRepair = exposed.Liveput(m.Speed, false)
		made.Liveput.WithRepair = exposed.Liveput(m.Speed, true)
	}
	return made
}

// parcaePlan is the answer of plan parcae, with the names of its JSON form.
type parcaePlan struct {
	Network       string          `json:"network"`
	Objective     string          `json:"objective"`
	IntervalS     float64         `json:"interval_s"`
	Instances     int             `json:"instances"`
	Present       parcaeLayout    `json:"present"`
	Forecast      []int           `json:"forecast"`
	Configuration parcaeLayout    `json:"configuration"`
	Throughput    float64         `json:"throughput_samples_per_s"`
	Liveput       parcaeLiveput   `json:"liveput"`
	Migration     parcaeMigration `json:"migration"`
	Plan          []parcaeStep    `json:"plan"`
}

// parcaeLayout is a layout; 0 x 0 is none.
type parcaeLayout struct {
	Pipelines int `json:"pipelines"`
	Stages    int `json:"stages"`
}

func (l parcaeLayout) String() string {
	if l.Stages == 0 {
		return "none"
	}
	return fmt.Sprintf("%d x %d", l.Pipelines, l.Stages)
}

// parcaeLiveput is the throughput that is expected to be left, samples/s.
type parcaeLiveput struct {
	Preempted     int     `json:"preempted"`
	WithoutRepair float64 `json:"without_repair_samples_per_s"`
	WithRepair    float64 `json:"with_repair_samples_per_s"`
}

// parcaeMigration is a migration whose preempted instances are not known yet.
type parcaeMigration struct {
	Kind       string             `json:"kind"` // the most probable
	Chances    map[string]float64 `json:"chances"`
	ExpectedMs float64            `json:"expected_ms"`
	StdErrMs   float64            `json:"standard_error_ms"` // 0: counted
}

// about tells the chances if there are several, and the error if there is one.
func (m *parcaeMigration) about() string {
	var parts []string
	for k := range pipeline.MigrationDepth + 1 {
		if chance := m.Chances[k.String()]; chance > 0 && chance < 1 {
			parts = append(parts, fmt.Sprintf("%s %.1f %%", k, 100*chance))
		}
	}
	if m.StdErrMs > 0 {
		parts = append(parts, fmt.Sprintf("standard error %.2f s", m.StdErrMs/1000))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// parcaeStep is one interval of the plan.
type parcaeStep struct {
	Instances int             `json:"instances"`
	Layout    parcaeLayout    `json:"layout"`
	Stalled   bool            `json:"stalled"` // its migration is not over at the end
	Migration parcaeMigration `json:"migration"`
	Samples   float64         `json:"samples"` // expected since the beginning of the plan
}

// migration tells what it takes to go from one shape to another when n of
// the instances are preempted.
func migration(m *pipeline.Parcae, from, to parcae.Shape, instances, preempted int) parcaeMigration {
	expected := parcaeMigration{Kind: "suspend", Chances: map[string]float64{}}
	if to.Stages == 0 {
		return expected
	}
	exposed := pipeline.Exposed{
		Pipelines: from.Pipelines,
		Stages:    from.Stages,
		Instances: instances,
		Preempted: preempted,
	}
	expected.ExpectedMs, expected.StdErrMs = m.ExpectMigration(exposed, to.Pipelines, to.Stages)
	if from.Stages == 0 {
		expected.Kind = "start"
		expected.StdErrMs = 0
		return expected
	}
	largest := math.Inf(-1)
	for k, chance := range m.Chances(exposed, to.Pipelines, to.Stages) {
		kind := pipeline.MigrationKind(k).String()
		expected.Chances[kind] = chance
		if chance > largest {
			expected.Kind = kind
			largest = chance
		}
	}
	return expected
}

// parcaeTraceFlags say from what plan parcae makes its forecast, and how.
type parcaeTraceFlags struct {
	Name       string  `flag:"history" help:"<trace> to forecast from, instead of --forecast"`
	Pool       string  `flag:"pool" help:"<name> of the pool of the trace; by default the sum of all pools"`
	Now        int     `flag:"now" help:"number of intervals of the trace that are in the past; by default all"`
	Forecaster string  `flag:"forecaster" complete:"@forecasters" help:"<name> of the forecaster; by default Parcae's"`
	Window     int     `flag:"window" default:"12" min:"2" max:"1000" help:"past intervals that the forecaster uses, 2 to 1000"`
	Min        float64 `flag:"min" default:"8" help:"smallest possible number of machines, for forecasters with guards"`
	Max        float64 `flag:"max" default:"32" help:"largest possible number of machines, for forecasters with guards; 0: no limit"`
}

// forecast returns the instances of the present and of the coming intervals.
func (h *parcaeTraceFlags) forecast(
	q pipeline.ParcaeQuirks, interval time.Duration, ahead int,
) (now int, coming []int, err error) {
	series, err := h.series(interval)
	if err != nil {
		return 0, nil, fmt.Errorf("--history %s: %w", h.Name, err)
	}
	if h.Now == 0 {
		h.Now = len(series)
	}
	if h.Now < 1 || h.Now > len(series) {
		return 0, nil, fmt.Errorf("--now %d, expected 1 to %d, the intervals of the trace", h.Now, len(series))
	}
	if err := cli.CheckGuards(h.Min, h.Max); err != nil {
		return 0, nil, err
	}
	setup := forecast.Setup{Window: h.Window, Min: h.Min, Max: h.Max, Truth: series}
	first := max(0, h.Now-setup.Window)
	for i, count := range series[first:h.Now] {
		if math.IsNaN(count) {
			return 0, nil, fmt.Errorf("--history %s: interval %d is unknown", h.Name, first+i+1)
		}
	}
	info, err := forecast.Named(cmp.Or(h.Forecaster, q.Forecaster()))
	if err != nil {
		return 0, nil, fmt.Errorf("--forecaster: %w", err)
	}
	next := make([]float64, ahead)
	info.New(setup).Forecast(next, series[:h.Now])
	for i, count := range next {
		if math.IsNaN(count) {
			return 0, nil, fmt.Errorf("--history %s: interval %d is unknown", h.Name, h.Now+i+1)
		}
		coming = append(coming, int(math.RoundToEven(min(max(count, 0), math.MaxInt32))))
	}
	return int(math.RoundToEven(series[h.Now-1])), coming, nil
}

// series returns the numbers of instances by interval.
func (h *parcaeTraceFlags) series(interval time.Duration) ([]float64, error) {
	if counts := parcaeCounts(h.Name); counts != nil {
		if interval != time.Minute {
			return nil, fmt.Errorf("has one count per minute, but --interval is %v", interval)
		}
		return counts, nil
	}
	set, err := cli.LoadTrace(h.Name)
	if err != nil {
		return nil, err
	}
	pools, err := cli.CountedPools(set, h.Pool)
	if err != nil {
		return nil, err
	}
	return describe.Sample(set, interval, pools...)
}

// parcaeCounts returns Parcae's trace, or an hour of it, nil for other names.
func parcaeCounts(name string) (counts []float64) {
	instances := pipeline.ParcaeTrace()
	segments := pipeline.ParcaeSegments()
	hour := slices.IndexFunc(segments, func(s pipeline.ParcaeSegment) bool { return s.Name == name })
	if hour >= 0 {
		instances = instances[segments[hour].First:segments[hour].End]
	} else if name != "p3" {
		return nil
	}
	for _, n := range instances {
		counts = append(counts, float64(n))
	}
	return counts
}
