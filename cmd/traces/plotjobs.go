package traces

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

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
