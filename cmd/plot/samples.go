package plot

import (
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/plots"
)

// samples gathers a number of runs by objective and combination of parameters, and by
// policy.
type samples struct {
	titles []string // of panels
	of     map[string][]*sample
}

// sample is the runs of one policy.
type sample struct {
	plots.Sample
	met   int
	asked *float64
	units map[intervals.Unit]bool
}

func (all *samples) add(r *runOf, q *quantity) {
	title := r.title()
	if all.of == nil {
		all.of = map[string][]*sample{}
	}
	if all.of[title] == nil {
		all.titles = append(all.titles, title)
	}
	one := all.policy(title, r)
	one.units[r.unit] = true
	if r.Met {
		one.met++
	}
	if x, ok := q.of(r.Summary); ok {
		one.Values = append(one.Values, x)
	} else {
		one.None++
	}
}

// policy finds the sample of a run's policy in a panel, or begins it.
func (all *samples) policy(title string, r *runOf) *sample {
	for _, one := range all.of[title] {
		if one.Policy == r.Policy {
			return one
		}
	}
	one := &sample{asked: r.ObjectiveShare, units: map[intervals.Unit]bool{}}
	one.Policy, one.Oracle = r.Policy, r.Oracle
	all.of[title] = append(all.of[title], one)
	return one
}

// panels are the samples as they are drawn.
func (all *samples) panels() (out []plots.Samples) {
	for _, title := range all.titles {
		panel := plots.Samples{Title: title}
		for _, one := range all.of[title] {
			one.Units = len(one.units)
			one.Met = float64(one.met) / float64(len(one.Values)+one.None)
			one.Misses = !intervals.Meets(one.Met, one.asked)
			panel.Of = append(panel.Of, one.Sample)
		}
		out = append(out, panel)
	}
	return out
}
