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
survival of machines where their lifetimes were observed; of the log of a cluster, how long jobs take, when they come, and the GPUs that they
ask for. Figures without data are left out.

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
	h := trace(set)
	add := func(name string, f *canvas.Figure, err error) error {
		if errors.Is(err, plots.ErrNothing) {
			return nil
		}
		if err == nil {
			figures = append(figures, plots.Named{Name: name, Figure: f})
		}
		return err
	}
	capacity, err := plots.Capacity(h)
	if err := add("capacity", capacity, err); err != nil {
		return nil, err
	}
	prices, err := plots.Prices(h)
	if err := add("prices", prices, err); err != nil {
		return nil, err
	}
	survival, err := plots.Survival(h.Name, h.About, lifetimes(set))
	if err := add("survival", survival, err); err != nil {
		return nil, err
	}
	if len(set.Jobs) > 0 {
		jobs, err := drawJobs(set, h)
		if err := add("jobs", jobs, err); err != nil {
			return nil, err
		}
	}
	if len(figures) == 0 {
		return nil, fmt.Errorf("%s has no data that can be drawn", h.Name)
	}
	return figures, nil
}

// trace is the set as plots draw it.
func trace(set *traces.Set) *plots.Trace {
	m := &set.Manifest
	h := &plots.Trace{Name: m.TraceID, About: cli.Meaning(m.Semantics),
		Hours: float64(m.TEndUs-m.TStartUs) / usPerHour}
	if m.Source.Repo != "" {
		h.About += fmt.Sprintf("; %s@%.8s", m.Source.Repo, m.Source.Commit)
	}
	if m.ClockKind != traces.ClockRelative {
		h.Start, h.Clock = time.UnixMicro(m.TStartUs).UTC(), "UTC"
	}
	if m.ClockKind == traces.ClockUnknownTZ {
		h.Clock = "time zone not stated"
	}
	for _, o := range describe.Observe(set) {
		p := &set.Pools[o.Pool]
		pool := plots.Pool{Name: p.Name, Region: p.Region, Type: cmp.Or(p.InstanceType, p.GPUType), Cap: float64(o.Cap),
			Count: drawn(o.Count, m), Price: drawn(o.Price, m)}
		if p.OnDemandNano != nil {
			pool.OnDemand = traces.USD(*p.OnDemandNano)
		}
		h.Pools = append(h.Pools, pool)
	}
	return h
}

// drawn puts pieces on the axis of the figures; what was before the start of the
// observation (a price carried in) is cut off.
func drawn(pieces []describe.Piece, m *traces.Manifest) []plots.Piece {
	var out []plots.Piece
	for _, p := range pieces {
		from, to := max(p.From, m.TStartUs), min(p.To, m.TEndUs)
		if from < to {
			out = append(out, plots.Piece{FromH: float64(from-m.TStartUs) / usPerHour, ToH: float64(to-m.TStartUs) / usPerHour,
				Value: p.Value})
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
		n := name(&set.Pools[i])
		if !slices.ContainsFunc(groups, func(g plots.Lifetimes) bool { return g.Name == n }) {
			groups = append(groups, plots.Lifetimes{Name: n})
		}
	}
	for _, l := range lifetimes {
		n := name(&set.Pools[l.Pool])
		members[n] = append(members[n], l)
	}
	for i := range groups {
		for _, s := range describe.KaplanMeier(members[groups[i].Name]).Steps {
			groups[i].Steps = append(groups[i].Steps,
				plots.SurvivalStep{H: s.Hours, S: s.Survival, Low: s.Low, High: s.High, AtRisk: s.AtRisk, Lost: s.Lost,
					Censored: s.Censored})
		}
	}
	return slices.DeleteFunc(groups, func(g plots.Lifetimes) bool { return len(g.Steps) == 0 })
}

// maxPoints is how many points of a curve are drawn.
const maxPoints = 500

// drawJobs draws the jobs of a set: how long they take, when they come, and how many GPUs they would
// use if each ran at its submission.
func drawJobs(set *traces.Set, h *plots.Trace) (*canvas.Figure, error) {
	var panels []plots.CurvePanel
	for _, p := range []plots.CurvePanel{durations(set), arrivals(set), load(set)} {
		if len(p.Curves) > 0 && len(p.Curves[0].X) > 1 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, plots.ErrNothing
	}
	return plots.Curves(h.Name+": jobs", fmt.Sprintf("%d jobs", len(set.Jobs)), panels)
}

// durations is the cumulative distribution of the jobs' durations.
func durations(set *traces.Set) plots.CurvePanel {
	var hours []float64
	for i := range set.Jobs {
		if d := set.Jobs[i].DurationUs; d != nil && *d > 0 {
			hours = append(hours, float64(*d)/usPerHour)
		}
	}
	slices.Sort(hours)
	c := plots.Curve{Name: "fraction of jobs"}
	for i, x := range hours {
		if i%(len(hours)/maxPoints+1) == 0 || i == len(hours)-1 {
			c.X, c.Y = append(c.X, x), append(c.Y, float64(i+1)/float64(len(hours)))
		}
	}
	p := plots.CurvePanel{Title: "durations", X: "hours", Y: "fraction of jobs", Logarithmic: true}
	if len(hours) > 1 && hours[0] < hours[len(hours)-1] {
		p.Curves = []plots.Curve{c}
	}
	return p
}

// arrivals is the submissions by hour of the day, or over time where the clock is relative.
func arrivals(set *traces.Set) plots.CurvePanel {
	if s := describe.Jobs(set); s.Hours != nil {
		c := plots.Curve{Name: "jobs"}
		for hour, n := range s.Hours {
			c.X, c.Y = append(c.X, float64(hour), float64(hour+1)), append(c.Y, float64(n), float64(n))
		}
		return plots.CurvePanel{Title: "submissions by hour of the day", X: "hour (UTC)", Y: "jobs", Curves: []plots.Curve{c}}
	}
	c := plots.Curve{Name: "jobs"}
	first := set.Jobs[0].T
	for i := range set.Jobs {
		if i%(len(set.Jobs)/maxPoints+1) == 0 || i == len(set.Jobs)-1 {
			c.X, c.Y = append(c.X, float64(set.Jobs[i].T-first)/usPerHour), append(c.Y, float64(i+1))
		}
	}
	p := plots.CurvePanel{Title: "submissions", X: "hours since the first", Y: "jobs so far"}
	if c.X[len(c.X)-1] > 0 {
		p.Curves = []plots.Curve{c}
	}
	return p
}

// load is the GPUs that jobs would use if each ran at its submission, means of parts of the time.
func load(set *traces.Set) plots.CurvePanel {
	at, gpus := describe.Load(set.Jobs)
	p := plots.CurvePanel{Title: "load if every job ran at once", X: "hours since the first", Y: "GPUs"}
	if len(at) < 2 || at[len(at)-1] == at[0] {
		return p
	}
	sums := make([]float64, maxPoints)
	width := float64(at[len(at)-1]-at[0]) / maxPoints
	for i := range len(at) - 1 {
		from, to := float64(at[i]-at[0])/width, float64(at[i+1]-at[0])/width
		for k := int(from); k < maxPoints && float64(k) < to; k++ {
			sums[k] += gpus[i] * (min(to, float64(k+1)) - max(from, float64(k)))
		}
	}
	c := plots.Curve{Name: "GPUs"}
	for k, y := range sums {
		c.X, c.Y = append(c.X, (float64(k)+0.5)*width/usPerHour), append(c.Y, y)
	}
	p.Curves = []plots.Curve{c}
	return p
}
