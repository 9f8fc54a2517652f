package report

import (
	"fmt"
	"iter"
	"sort"

	"github.com/marigram/marigram/experiments/results"
)

// rows are those of a run in all tables.
type rows = results.Run

// run is one run that kept its timeline.
type run struct {
	rows
	job []results.Span // of the first pool: what the job did in each interval in which nothing changed
}

// runsOf returns the runs of a set that have a timeline, in their order.
func runsOf(set *results.Set) (out []run) {
	for _, r := range set.Runs() {
		if len(r.Spans) > 0 {
			out = append(out, run{r, results.JobSpans(r.Spans)})
		}
	}
	return out
}

// name says which run it is.
func (r *run) name() string { return fmt.Sprintf("%s, %s, %s", r.Policy, r.Objective, r.From()) }

// weighed returns the candidates of one of the run's decisions.
func (r *run) weighed(decision int64) []results.Candidate {
	return results.RowsOf(r.Candidates, decision, func(c *results.Candidate) int64 { return c.Decision })
}

// stretches are the intervals in which nothing changed, each with a row of every pool, until the rows do not fit
// together.
func (r *run) stretches() iter.Seq[[]results.Span] {
	return func(yield func([]results.Span) bool) {
		for rows, err := range results.Stretches(r.Spans) {
			if err != nil || !yield(rows) {
				return
			}
		}
	}
}

// at returns the stretch that holds an instant, the last one for later instants.
func (r *run) at(s float64) (last []results.Span) {
	for rows := range r.stretches() {
		last = rows
		if rows[0].EndS > s {
			break
		}
	}
	return last
}

// end returns when the timeline ends.
func (r *run) end() float64 { return r.job[len(r.job)-1].EndS }

// progress returns the share of the way to the goal at an instant. The job
// advances at a constant rate in a stretch.
func (r *run) progress(s float64) float64 {
	i := min(sort.Search(len(r.job), func(i int) bool { return r.job[i].EndS > s }), len(r.job)-1)
	stretch := &r.job[i]
	before := 0.0
	if i > 0 {
		before = r.job[i-1].Progress
	}
	share := min(max((s-stretch.StartS)/(stretch.EndS-stretch.StartS), 0), 1)
	return before + share*(stretch.Progress-before)
}
