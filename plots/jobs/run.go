package jobs

import (
	"math"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// Run is one run with what happened in it.
type Run struct {
	results.Summary
	Jobs      []results.Job
	Spans     []results.Span
	Instances []results.Instance
	Tasks     []results.Task
}

// Runs returns the first run of many jobs of each policy that kept its jobs, in the order of the runs.
func Runs(set *results.Set) (runs []Run) {
	find, seen := map[int64]int{}, map[string]bool{}
	with := map[int64]bool{}
	for i := range set.Jobs {
		with[set.Jobs[i].Run] = true
	}
	for _, s := range set.Summaries {
		if s.ManyJobs() && with[s.Run] && !seen[s.Policy] {
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
	for _, x := range set.Tasks {
		if i, is := find[x.Run]; is {
			runs[i].Tasks = append(runs[i].Tasks, x)
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

// hour in seconds: figures show hours.
const hour = 3600
