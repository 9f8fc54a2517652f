package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

var _ = register(&Drawer{Name: "completion", File: "completion-times", Short: "Cumulative fraction of the jobs by completion time, and by time without GPUs",
	Long: `Draws, for the first run of each policy that marigram run wrote into DIR, the share of the jobs
that took at most so long from submission to finish, and that were at most so long without GPUs.
Jobs that were not done count as later than all others.`,
	Draw: func(set *results.Set) ([]Named, error) { return alone(CompletionTimes(jobRuns(set))) }})

// CompletionTimes draws, for each run, the share of its jobs that took at most so long: from their
// submission to their finish on the left, of which without GPUs on the right. Jobs that were not
// done count as later than all others. ErrNothing if no job of any run was done.
func CompletionTimes(runs []results.Run) (*canvas.Figure, error) {
	f := &canvas.Figure{Width: 7.2 * vg.Inch, Height: 3.8 * vg.Inch}
	done := canvas.NewPanel("completion time", "hours from submission to finish", "fraction of jobs")
	queue := canvas.NewPanel("queue time", "hours without GPUs", "")
	var times, waits [][]float64
	for i := range runs {
		var took, waited []float64
		for _, j := range runs[i].Jobs {
			if j.JCTS != nil && drawable(*j.JCTS) && j.QueueS != nil && drawable(*j.QueueS) {
				took, waited = append(took, *j.JCTS/hour), append(waited, *j.QueueS/hour)
			}
		}
		times, waits = append(times, took), append(waits, waited)
		f.Keys = append(f.Keys, policyOf(&runs[i]).key())
	}
	if !slices.ContainsFunc(times, func(x []float64) bool { return len(x) > 0 }) {
		return nil, ErrNothing
	}
	f.Title = []string{"How long jobs take", canvas.Label(aboutRuns(runs, fmt.Sprintf("%d jobs, %s", len(runs[0].Jobs), runs[0].From())), canvas.MaxAbout)}
	jobShares(done, runs, times)
	jobShares(queue, runs, waits)
	f.Panels = [][]*plot.Plot{{done, queue}}
	return f, nil
}

// jobShares draws the cumulative distribution of each run's numbers.
func jobShares(p *plot.Plot, runs []results.Run, of [][]float64) {
	p.Add(canvas.Grid())
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, 1, canvas.FitScale(1, 5, canvas.OneTwoFive(0.1))
	low, high := math.Inf(1), 0.0
	var curves []cdf
	for i, x := range of {
		slices.Sort(x)
		if n := len(x); n > 0 {
			low, high = min(low, x[n/50]), max(high, x[n-1]) // the few shortest do not stretch the axis
		}
		curves = append(curves, cdfOf(&Sample{PolicyResult: *policyOf(&runs[i]), Values: x, None: len(runs[i].Jobs) - len(x)}))
	}
	setValues(p, min(low, high), high)
	for _, c := range curves {
		for i := range c.steps {
			c.steps[i].X = max(c.steps[i].X, p.X.Min)
		}
		p.Add(canvas.Line(c.stairs(p.X.Max, 0), c.line()), c.points())
	}
}

// policyOf is a run's policy, whether or not it meets its objective.
func policyOf(r *results.Run) *PolicyResult {
	return &PolicyResult{Policy: r.Policy, Oracle: r.Oracle, ManyJobs: r.ManyJobs()}
}

// aboutRuns is the line below the title of a figure of runs of many jobs.
func aboutRuns(runs []results.Run, what string) string {
	return runs[0].Scenario + ", " + runs[0].Objective + ": " + what
}

// hour in seconds: figures show hours.
const hour = 3600
