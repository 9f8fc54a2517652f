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

var _ = register(&Drawer{Name: "completion", File: "completion-times",
	Short: "Cumulative fraction of the jobs by completion time, and by time without GPUs",
	Long: `Draws, for the first run of each policy that marigram run wrote into DIR, the share of the jobs
that took at most so long from submission to finish, and that were at most so long without GPUs.
Jobs that were not done count as later than all others.`,
	Draw: func(set *results.Set) ([]Named, error) { return alone(CompletionTimes(jobRuns(set))) }})

// CompletionTimes draws, for each run, the share of its jobs that took at most so long: from their
// submission to their finish on the left, of which without GPUs on the right. Jobs that were not
// done count as later than all others. ErrNothing if no job of any run was done.
func CompletionTimes(runs []results.Run) (*canvas.Figure, error) {
	figure := &canvas.Figure{Width: 7.2 * vg.Inch, Height: 3.8 * vg.Inch}
	done := canvas.NewPanel("completion time", "hours from submission to finish", "fraction of jobs")
	queue := canvas.NewPanel("queue time", "hours without GPUs", "")
	var times, waits [][]float64
	styles := canvas.Apart(policiesOfRuns(runs))
	for i := range runs {
		var took, waited []float64
		for _, job := range runs[i].Jobs {
			if job.JCTS != nil && drawable(*job.JCTS) && job.QueueS != nil && drawable(*job.QueueS) {
				took = append(took, *job.JCTS/hour)
				waited = append(waited, *job.QueueS/hour)
			}
		}
		times = append(times, took)
		waits = append(waits, waited)
		figure.Keys = append(figure.Keys, policyOf(&runs[i], styles).key())
	}
	if !slices.ContainsFunc(times, func(x []float64) bool { return len(x) > 0 }) {
		return nil, ErrNothing
	}
	about := aboutRuns(runs, fmt.Sprintf("%d jobs, %s", len(runs[0].Jobs), runs[0].From()))
	figure.Title = []string{"How long jobs take", canvas.Label(about, canvas.MaxAbout)}
	drawJobShares(done, runs, times)
	drawJobShares(queue, runs, waits)
	figure.Panels = [][]*plot.Plot{{done, queue}}
	return figure, nil
}

// drawJobShares draws the cumulative distribution of the hours of each run's jobs.
func drawJobShares(panel *plot.Plot, runs []results.Run, hours [][]float64) {
	panel.Add(canvas.Grid())
	setShares(&panel.Y)
	values := extent{low: math.Inf(1)}
	var curves []cdf
	styles := canvas.Apart(policiesOfRuns(runs))
	for i, sorted := range hours {
		slices.Sort(sorted)
		jobs := len(sorted)
		if jobs > 0 {
			values.include(sorted[jobs/50], sorted[jobs-1]) // the few shortest do not stretch the axis
		}
		sample := Sample{PolicyResult: *policyOf(&runs[i], styles), Values: sorted, None: len(runs[i].Jobs) - jobs}
		curves = append(curves, cdfOf(&sample))
	}
	setValues(panel, values)
	for _, curve := range curves {
		for i := range curve.steps {
			curve.steps[i].X = max(curve.steps[i].X, panel.X.Min)
		}
		panel.Add(canvas.Line(curve.stairs(panel.X.Max, 0), curve.line()), curve.points())
	}
}

// policiesOfRuns are the names of the policies of runs.
func policiesOfRuns(runs []results.Run) []string {
	return firsts(each(runs, func(r results.Run) string { return r.Policy }))
}

// policyOf is a run's policy, whether or not it meets its objective.
func policyOf(r *results.Run, styles canvas.Styles) *PolicyResult {
	return &PolicyResult{Policy: r.Policy, Oracle: r.Oracle, ManyJobs: r.ManyJobs(), styles: styles}
}

// aboutRuns is the line below the title of a figure of runs of many jobs.
func aboutRuns(runs []results.Run, what string) string {
	return runs[0].Scenario + ", " + runs[0].Objective + ": " + what
}

// hour in seconds: figures show hours.
const hour = 3600
