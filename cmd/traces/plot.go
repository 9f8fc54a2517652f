package traces

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

type plotFlags struct {
	traceFlags
	Out string `flag:"out" required:"true" help:"draw into this <folder>"`
}

func plotCommand() *cobra.Command {
	var f plotFlags
	return cli.Writes(cli.WithFlags(&cobra.Command{
		Use:   "plot TRACE --out DIR",
		Short: "Draw a trace: capacity, prices, survival; jobs",
		Long: `Draws a trace as SVG, PNG and PDF: machines and prices of each pool over time, the
survival of machines where their lifetimes were observed; of the log of a cluster, how
long jobs take, when they come, and the GPUs that they ask for. Figures without data are left out.

` + cli.NamesHelp("Formats", "formats"),
		Example: "  marigram traces plot pulled:bamboo-aws-p3 --out figures",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := f.load(cmd, args[0])
			if err != nil {
				return err
			}
			figures, err := traceFigures(set)
			if err != nil {
				return err
			}
			paths, err := plots.SaveFigures(f.Out, figures)
			if err != nil {
				return cli.Failed(err)
			}
			return f.Give(cmd, paths, func(w io.Writer) {
				fmt.Fprintln(w, strings.Join(paths, "\n"))
			})
		},
	}, &f), plots.Files("capacity", "prices", "survival", "jobs")...)
}

// traceFigures draws what there is.
func traceFigures(set *traces.Set) (figures []plots.Named, err error) {
	drawn := trace(set)
	add := func(name string, f *canvas.Figure, err error) error {
		if errors.Is(err, plots.ErrNothing) {
			return nil
		}
		if err == nil {
			figures = append(figures, plots.Named{Name: name, Figure: f})
		}
		return err
	}
	capacity, err := plots.Capacity(drawn)
	if err := add("capacity", capacity, err); err != nil {
		return nil, err
	}
	prices, err := plots.Prices(drawn)
	if err := add("prices", prices, err); err != nil {
		return nil, err
	}
	survival, err := plots.Survival(drawn.Name, drawn.About, lifetimes(set))
	if err := add("survival", survival, err); err != nil {
		return nil, err
	}
	if len(set.Jobs) > 0 {
		jobs, err := drawJobs(set, drawn.Name)
		if err := add("jobs", jobs, err); err != nil {
			return nil, err
		}
	}
	if len(figures) == 0 {
		return nil, fmt.Errorf("%s has no data that can be drawn", drawn.Name)
	}
	return figures, nil
}

// trace is the set as plots draw it.
func trace(set *traces.Set) *plots.Trace {
	manifest := &set.Manifest
	drawn := &plots.Trace{
		Name:  manifest.TraceID,
		About: cli.Meaning(manifest.Semantics),
		Hours: float64(manifest.TEndUs-manifest.TStartUs) / usPerHour,
	}
	if manifest.Source.Repo != "" {
		drawn.About += fmt.Sprintf("; %s@%.8s", manifest.Source.Repo, manifest.Source.Commit)
	}
	if manifest.ClockKind != traces.ClockRelative {
		drawn.Start = time.UnixMicro(manifest.TStartUs).UTC()
		drawn.Clock = "UTC"
	}
	if manifest.ClockKind == traces.ClockUnknownTZ {
		drawn.Clock = "time zone not stated"
	}
	for _, observed := range describe.Observe(set) {
		pool := &set.Pools[observed.Pool]
		row := plots.Pool{
			Name:   pool.Name,
			Region: pool.Region,
			Type:   cmp.Or(pool.InstanceType, pool.GPUType),
			Cap:    float64(observed.Cap),
			Count:  onAxis(observed.Count, manifest),
			Price:  onAxis(observed.Price, manifest),
		}
		if pool.OnDemandNano != nil {
			row.OnDemand = traces.USD(*pool.OnDemandNano)
		}
		drawn.Pools = append(drawn.Pools, row)
	}
	return drawn
}

// onAxis puts pieces on the axis of the figures; what was before the start of the
// observation (a price carried in) is cut off.
func onAxis(pieces []describe.Piece, m *traces.Manifest) []plots.Piece {
	var out []plots.Piece
	for _, piece := range pieces {
		from := max(piece.From, m.TStartUs)
		to := min(piece.To, m.TEndUs)
		if from < to {
			out = append(out, plots.Piece{
				FromH: float64(from-m.TStartUs) / usPerHour,
				ToH:   float64(to-m.TStartUs) / usPerHour,
				Value: piece.Value,
			})
		}
	}
	return out
}

// lifetimes groups those of machines by what tells few enough groups apart:
// pool, instance type, GPU, or nothing.
func lifetimes(set *traces.Set) []plots.Lifetimes {
	lifetimes, _ := describe.Lifetimes(set)
	for _, name := range []func(*traces.Pool) string{
		func(p *traces.Pool) string { return p.Name },
		func(p *traces.Pool) string { return p.InstanceType },
		func(p *traces.Pool) string { return p.GPUType },
	} {
		if groups := groupLifetimes(set, lifetimes, name); len(groups) <= plots.MaxCurves {
			return groups
		}
	}
	return groupLifetimes(set, lifetimes, func(*traces.Pool) string { return "all machines" })
}

func groupLifetimes(set *traces.Set, lifetimes []describe.Lifetime, name func(*traces.Pool) string) []plots.Lifetimes {
	var groups []plots.Lifetimes
	members := map[string][]describe.Lifetime{}
	for i := range set.Pools {
		of := name(&set.Pools[i])
		if !slices.ContainsFunc(groups, func(g plots.Lifetimes) bool { return g.Name == of }) {
			groups = append(groups, plots.Lifetimes{Name: of})
		}
	}
	for _, lifetime := range lifetimes {
		of := name(&set.Pools[lifetime.Pool])
		members[of] = append(members[of], lifetime)
	}
	for i := range groups {
		for _, step := range describe.KaplanMeier(members[groups[i].Name]).Steps {
			groups[i].Steps = append(groups[i].Steps, plots.SurvivalStep{
				H:        step.Hours,
				S:        step.Survival,
				Low:      step.Low,
				High:     step.High,
				AtRisk:   step.AtRisk,
				Lost:     step.Lost,
				Censored: step.Censored,
			})
		}
	}
	return slices.DeleteFunc(groups, func(g plots.Lifetimes) bool { return len(g.Steps) == 0 })
}

// maxPoints is how many points of a curve are drawn.
const maxPoints = 500

// isDrawn reports whether a point of n is among those that are drawn: evenly spread, and the last.
func isDrawn(i, n int) bool { return i%(n/maxPoints+1) == 0 || i == n-1 }

// drawJobs draws the jobs of a set: how long they take, when they come, and how many GPUs they would
// use if each ran at its submission.
func drawJobs(set *traces.Set, name string) (*canvas.Figure, error) {
	var panels []plots.CurvePanel
	for _, p := range []plots.CurvePanel{durations(set), arrivals(set), load(set)} {
		if len(p.Curves) > 0 && len(p.Curves[0].X) > 1 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, plots.ErrNothing
	}
	return plots.Curves(name+": jobs", fmt.Sprintf("%d jobs", len(set.Jobs)), panels)
}

// durations is the cumulative distribution of the jobs' durations.
func durations(set *traces.Set) plots.CurvePanel {
	var hours []float64
	for i := range set.Jobs {
		if us := set.Jobs[i].DurationUs; us != nil && *us > 0 {
			hours = append(hours, float64(*us)/usPerHour)
		}
	}
	slices.Sort(hours)
	fraction := plots.Curve{Name: "fraction of jobs"}
	for i, x := range hours {
		if isDrawn(i, len(hours)) {
			fraction.Add(x, float64(i+1)/float64(len(hours)))
		}
	}
	panel := plots.CurvePanel{Title: "durations", X: "hours", Y: "fraction of jobs", Logarithmic: true}
	if len(hours) > 1 && hours[0] < hours[len(hours)-1] {
		panel.Curves = []plots.Curve{fraction}
	}
	return panel
}

// arrivals is the submissions by hour of the day, or over time where the clock is relative.
func arrivals(set *traces.Set) plots.CurvePanel {
	jobs := plots.Curve{Name: "jobs"}
	if byHour := describe.Jobs(set).Hours; byHour != nil {
		for hour, n := range byHour {
			jobs.Add(float64(hour), float64(n))
			jobs.Add(float64(hour+1), float64(n))
		}
		return plots.CurvePanel{
			Title:  "submissions by hour of the day",
			X:      "hour (UTC)",
			Y:      "jobs",
			Curves: []plots.Curve{jobs},
		}
	}
	first := set.Jobs[0].T
	for i := range set.Jobs {
		if isDrawn(i, len(set.Jobs)) {
			jobs.Add(float64(set.Jobs[i].T-first)/usPerHour, float64(i+1))
		}
	}
	panel := plots.CurvePanel{Title: "submissions", X: "hours since the first", Y: "jobs so far"}
	if jobs.X[len(jobs.X)-1] > 0 {
		panel.Curves = []plots.Curve{jobs}
	}
	return panel
}

// load is the GPUs that jobs would use if each ran at its submission, means of parts of the time.
func load(set *traces.Set) plots.CurvePanel {
	at, gpus := describe.Load(set.Jobs)
	panel := plots.CurvePanel{Title: "load if every job ran at once", X: "hours since the first", Y: "GPUs"}
	if len(at) < 2 || at[len(at)-1] == at[0] {
		return panel
	}
	sums := make([]float64, maxPoints)
	width := float64(at[len(at)-1]-at[0]) / maxPoints
	for i := range len(at) - 1 {
		from := float64(at[i]-at[0]) / width
		to := float64(at[i+1]-at[0]) / width
		for part := int(from); part < maxPoints && float64(part) < to; part++ {
			sums[part] += gpus[i] * (min(to, float64(part+1)) - max(from, float64(part)))
		}
	}
	means := plots.Curve{Name: "GPUs"}
	for part, mean := range sums {
		means.Add((float64(part)+0.5)*width/usPerHour, mean)
	}
	panel.Curves = []plots.Curve{means}
	return panel
}
