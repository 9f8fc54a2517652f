package plan

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/spf13/cobra"
)

// parcaeFlags are the inputs of one plan of Parcae.
type parcaeFlags struct {
	network, speeds string
	instances       int
	layout          string
	coming          []int
	history         parcaeHistoryFlags
	ahead           int
	interval        time.Duration
	objective       string
	preempted       int
	told            bool // of preempted
	asPublished     bool
	json            bool
}

// parcaeObjectives are the values of --objective.
var parcaeObjectives = map[string]parcae.Objective{
	"throughput": parcae.Throughput,
	"liveput":    parcae.Liveput,
}

func parcaeCommand() *cobra.Command {
	var f parcaeFlags
	cmd := &cobra.Command{
		Use:   "parcae",
		Short: "Show the layout that Parcae would choose now, and its plan",
		Long: `Plans the layouts (pipelines x stages, one instance per stage) of the coming
intervals from a forecast of the number of instances, as Parcae (NSDI 2024) does.
The first layout is the decision for now. The plan maximises the samples trained,
with the mean migration cost over all sets of preempted instances.

The forecast is a list of numbers of instances, or a forecaster makes it from a
history: p3 (Parcae's own) or its hours HADP, HASP, LADP and LASP, the folder or file
of a trace, or pulled:NAME.

`,
		Example: `  marigram plan parcae --network gpt-1.5b --instances 28 --layout 2x14 --forecast 26,26,28,28
  marigram plan parcae --network bert --history p3 --now 120 --layout 9x3 --json
  marigram plan parcae --network gpt-1.5b --speeds mine.csv --history HADP --forecaster persistence`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.told = cmd.Flags().Changed("preempted")
			p, err := f.plan()
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), p)
			}
			return cli.Failed(p.print(cmd.OutOrStdout()))
		},
	}
	cmd.Long += cli.ForecastersHelp()
	flags := cmd.Flags()
	flags.StringVar(&f.network, "network", "",
		"`name` of a network that comes with marigram: "+strings.Join(pipeline.ParcaeNetworks(), ", "))
	flags.StringVar(&f.speeds, "speeds", "",
		"CSV `file` of speeds (pipelines,stages,samples_per_s), instead of those of the network")
	flags.IntVar(&f.instances, "instances", 0, "instances now; by default the last count of the history")
	flags.StringVar(&f.layout, "layout", "", "present layout, `DxP`: pipelines x stages; by default none")
	flags.IntSliceVar(&f.coming, "forecast", nil, "instances of the coming intervals, `N,N,...`")
	f.history.add(flags)
	flags.IntVar(&f.ahead, "look-ahead", 12, "intervals to plan from a history, 1 to 1000")
	flags.DurationVar(&f.interval, "interval", time.Minute, "length of an interval")
	flags.StringVar(&f.objective, "objective", "throughput", "throughput (Parcae's code) or liveput (its paper, Eq. 4)")
	flags.IntVar(&f.preempted, "preempted", 1, "number of preemptions for the printed liveput")
	flags.BoolVar(&f.asPublished, "as-published", false, "reproduce the unintended behaviours of the public code")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	cli.Must(cmd.MarkFlagRequired("network"))
	cli.CompleteFlag(cmd, "network", pipeline.ParcaeNetworks())
	cli.CompleteFlag(cmd, "objective", []string{"throughput", "liveput"})
	cli.Must(cmd.RegisterFlagCompletionFunc("forecaster", cli.CompleteForecasters))
	return cmd
}

func (f *parcaeFlags) plan() (*parcaePlan, error) {
	m, err := f.model()
	if err != nil {
		return nil, err
	}
	if err := f.foresee(m.Quirks); err != nil {
		return nil, err
	}
	state := parcae.State{Instances: f.instances}
	if state.Shape, err = f.shape(m); err != nil {
		return nil, err
	}
	if !f.told {
		f.preempted = min(f.preempted, f.coming[0])
	}
	objective, ok := parcaeObjectives[f.objective]
	most := max(f.instances, slices.Max(f.coming))
	switch {
	case !ok:
		return nil, fmt.Errorf("--objective %q, expected throughput or liveput", f.objective)
	case f.interval <= 0:
		return nil, fmt.Errorf("--interval %v, expected more than 0", f.interval)
	case most > parcae.MostPlanned:
		return nil, fmt.Errorf("%d instances, expected up to %d", most, parcae.MostPlanned)
	case f.preempted < 0 || f.preempted > f.coming[0]:
		return nil, fmt.Errorf("--preempted %d, expected 0 to %d, the instances of the first interval", f.preempted,
			f.coming[0])
	}
	planner := parcae.NewPlanner(m, max(most, m.Depths[0]), f.interval.Seconds())
	planner.Objective = objective
	return newParcaePlan(f, m, planner, state), nil
}

func (f *parcaeFlags) model() (*pipeline.Parcae, error) {
	m, err := pipeline.LoadParcae(f.network)
	if err != nil {
		return nil, fmt.Errorf("--network: %w", err)
	}
	if f.speeds != "" {
		speeds, err := pipeline.OpenLayoutSpeeds(f.speeds)
		if err != nil {
			return nil, err
		}
		if m, err = m.WithSpeeds(speeds); err != nil {
			return nil, fmt.Errorf("%s: %w", f.speeds, err)
		}
	}
	if f.asPublished {
		m.Quirks = pipeline.ParcaeAsPublished()
	}
	return m, nil
}

// foresee fills in instances and forecast.
func (f *parcaeFlags) foresee(q pipeline.ParcaeQuirks) error {
	switch {
	case (len(f.coming) > 0) == (f.history.name != ""):
		return errors.New("expected --forecast or --history")
	case f.history.name == "" && f.instances == 0:
		return errors.New("expected --instances with --forecast")
	case f.ahead < 1 || f.ahead > 1000:
		return fmt.Errorf("--look-ahead %d, expected 1 to 1000", f.ahead)
	}
	if f.history.name != "" {
		now, coming, err := f.history.forecast(q, f.interval, f.ahead)
		if err != nil {
			return err
		}
		f.coming = coming
		if f.instances == 0 {
			f.instances = now
		}
	}
	for _, n := range append([]int{f.instances}, f.coming...) {
		if n < 0 {
			return fmt.Errorf("%d instances, expected 0 or more", n)
		}
	}
	return nil
}

// shape reads the present layout.
func (f *parcaeFlags) shape(m *pipeline.Parcae) (s parcae.Shape, err error) {
	if f.layout == "" {
		return s, nil
	}
	if n, _ := fmt.Sscanf(f.layout, "%dx%d", &s.Pipelines, &s.Stages); n != 2 ||
		f.layout != fmt.Sprintf("%dx%d", s.Pipelines, s.Stages) || s.Pipelines < 1 {
		return s, fmt.Errorf("--layout %q, expected pipelines x stages, such as 2x14", f.layout)
	}
	switch {
	case !slices.Contains(m.Depths, s.Stages):
		return s, fmt.Errorf("--layout %s, expected one of %v stages", f.layout, m.Depths)
	case s.Pipelines > parcae.MostPlanned:
		return s, fmt.Errorf("--layout %s, expected up to %d pipelines", f.layout, parcae.MostPlanned)
	case s.Size() > f.instances:
		return s, fmt.Errorf("--layout %s needs %d instances, there are %d", f.layout, s.Size(), f.instances)
	}
	return s, nil
}

func (p *parcaePlan) print(w io.Writer) error {
	if p.Configuration.Stages == 0 {
		if _, err := fmt.Fprintln(w, "no layout fits: training is suspended"); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintf(w, "take %v: %.2f samples/s; %.2f expected with %d of %d preempted, %.2f "+
		"with repair\n%s in %.2f s%s\n",
		p.Configuration, p.Throughput, p.Liveput.WithoutRepair, p.Liveput.Preempted, p.Forecast[0], p.Liveput.WithRepair,
		p.Migration.Kind, p.Migration.ExpectedMs/1000, p.Migration.about()); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	t := term.NewTable("interval", "instances", "layout", "migration", "expected s", "samples")
	for i, s := range p.Plan {
		kind := s.Migration.Kind
		if s.Stalled {
			kind += ", not over"
		}
		t.Row(fmt.Sprint(i+1), fmt.Sprint(s.Instances), s.Layout.String(), kind,
			fmt.Sprintf("%.2f", s.Migration.ExpectedMs/1000), fmt.Sprintf("%.1f", s.Samples))
	}
	return t.Print(w)
}

func newParcaePlan(f *parcaeFlags, m *pipeline.Parcae, planner *parcae.Planner,
	state parcae.State) *parcaePlan {
	p := &parcaePlan{Network: f.network, Objective: f.objective, IntervalS: planner.Interval, Instances: state.Instances,
		Present: parcaeLayout(state.Shape), Forecast: f.coming}
	var future []parcae.Turnover
	n := state.Instances
	for _, next := range f.coming {
		future = append(future, parcae.Turnover{Added: max(0, next-n), Removed: max(0, n-next)})
		n = next
	}
	n = state.Instances
	from := state.Shape
	for i, s := range planner.Plan(state, future, nil) {
		p.Plan = append(p.Plan, parcaeStep{f.coming[i], parcaeLayout(s.Shape), s.Stalled,
			migration(m, from, s.Shape, n, future[i].Removed), s.Samples})
		n, from = f.coming[i], s.Shape
	}
	first := &p.Plan[0]
	p.Configuration, p.Migration = first.Layout, first.Migration
	p.Liveput.Preempted = f.preempted
	if c := p.Configuration; c.Stages > 0 {
		p.Throughput = m.Speed(c.Pipelines, c.Stages)
		e := pipeline.Exposed{Pipelines: c.Pipelines, Stages: c.Stages, Instances: f.coming[0], Preempted: f.preempted}
		p.Liveput.WithoutRepair, p.Liveput.WithRepair = e.Liveput(m.Speed, false), e.Liveput(m.Speed, true)
	}
	return p
}
