// Package jobs draws runs in which many jobs share a cluster: how long jobs take, how busy the
// GPUs are and how many wait, who ran where, and cost against completion time.
package jobs

import (
	"errors"
	"math"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// hour in seconds: figures show hours.
const hour = 3600

// Names are those of the files that Save writes, as plots.Files takes them.
func Names() []string {
	return []string{"completion-times", "cost-completion", "load", "placement-*"}
}

// Save draws the results of many jobs into dir, each figure as SVG, PNG and PDF, and returns the
// paths: completion-times and load of the first seed, cost-completion of all, and for each policy
// placement-<policy>.
func Save(dir string, set *results.Set) ([]string, error) {
	var figures []plots.Named
	add := func(name string, f *canvas.Figure, err error) error {
		if errors.Is(err, plots.ErrNothing) {
			return nil
		}
		figures = append(figures, plots.Named{Name: name, Figure: f})
		return err
	}
	runs := Runs(set)
	f, err := CompletionTimes(runs)
	err = errors.Join(add("completion-times", f, err))
	if f, e := Load(runs); err == nil {
		err = add("load", f, e)
	}
	if f, e := CostCompletion(set.Summaries); err == nil {
		err = add("cost-completion", f, e)
	}
	for i := range runs {
		if f, e := Placement(&runs[i]); err == nil {
			err = add("placement-"+runs[i].Policy, f, e)
		}
	}
	if err != nil {
		return nil, err
	}
	return plots.SaveFigures(dir, figures)
}

// Run is one run with what happened in it.
type Run struct {
	results.Summary
	Jobs      []results.Job
	Spans     []results.Span
	Instances []results.Instance
}

// Runs returns the first run of each policy that kept its jobs, in the order of the runs.
func Runs(set *results.Set) (runs []Run) {
	find, seen := map[int64]int{}, map[string]bool{}
	with := map[int64]bool{}
	for i := range set.Jobs {
		with[set.Jobs[i].Run] = true
	}
	for _, s := range set.Summaries {
		if with[s.Run] && !seen[s.Policy] {
			seen[s.Policy] = true
			find[s.Run] = len(runs)
			runs = append(runs, Run{Summary: s})
		}
	}
	for _, j := range set.Jobs {
		if i, is := find[j.Run]; is {
			runs[i].Jobs = append(runs[i].Jobs, j)
		}
	}
	for _, s := range set.Spans {
		if i, is := find[s.Run]; is {
			runs[i].Spans = append(runs[i].Spans, s)
		}
	}
	for _, x := range set.Instances {
		if i, is := find[x.Run]; is {
			runs[i].Instances = append(runs[i].Instances, x)
		}
	}
	return runs
}

// about is the line below a figure's title.
func about(runs []Run, what string) string {
	return runs[0].Scenario + ", " + runs[0].Objective + ": " + what
}

// keyOf is the key of a policy's line.
func keyOf(policy string) canvas.Key {
	line := canvas.LookOf(policy).Line()
	return canvas.Key{Text: policy, Line: &line}
}

// drawable reports whether a number can be drawn.
func drawable(x float64) bool { return x >= 0 && x <= 1e12 && !math.IsNaN(x) }
