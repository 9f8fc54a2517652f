package report

import (
	"fmt"
	"iter"
	"sort"

	"github.com/marigram/marigram/experiments/results"
)

// run is one run with all that is kept of it.
type run struct {
	results.Summary
	spans      []results.Span
	job        []results.Span // of the first pool: what the job did in each interval in which nothing changed
	decisions  []results.Decision
	candidates []results.Candidate
	instances  []results.Instance
	tasks      []results.Task
}

// runsOf returns the runs of a set that have a timeline, in their order.
func runsOf(set *results.Set) []run {
	var out []run
	for _, s := range set.Summaries {
		r := run{Summary: s,
			spans:      of(set.Spans, s.Run, func(x *results.Span) int64 { return x.Run }),
			decisions:  of(set.Decisions, s.Run, func(x *results.Decision) int64 { return x.Run }),
			candidates: of(set.Candidates, s.Run, func(x *results.Candidate) int64 { return x.Run }),
			instances:  of(set.Instances, s.Run, func(x *results.Instance) int64 { return x.Run }),
			tasks:      of(set.Tasks, s.Run, func(x *results.Task) int64 { return x.Run })}
		r.job = results.JobSpans(r.spans)
		if len(r.spans) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// of returns the rows of one run; rows are in the order of the runs.
func of[T any](rows []T, run int64, number func(*T) int64) []T {
	from := sort.Search(len(rows), func(i int) bool { return number(&rows[i]) >= run })
	to := sort.Search(len(rows), func(i int) bool { return number(&rows[i]) > run })
	return rows[from:to]
}

// name says which run it is.
func (r *run) name() string { return fmt.Sprintf("%s, %s, seed %d", r.Policy, r.Objective, r.Seed) }

// weighed returns the candidates of one of the run's decisions.
func (r *run) weighed(decision int64) []results.Candidate {
	return of(r.candidates, decision, func(c *results.Candidate) int64 { return c.Decision })
}

// stretches are the intervals in which nothing changed, each with a row of every pool, until the rows do not fit together.
func (r *run) stretches() iter.Seq[[]results.Span] {
	return func(yield func([]results.Span) bool) {
		for rows, err := range results.Stretches(r.spans) {
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
	x, before := &r.job[i], 0.0
	if i > 0 {
		before = r.job[i-1].Progress
	}
	share := min(max((s-x.StartS)/(x.EndS-x.StartS), 0), 1)
	return before + share*(x.Progress-before)
}
