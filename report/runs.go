package report

import (
	"fmt"
	"sort"

	"github.com/marigram/marigram/experiments/results"
)

// run is one run with all that is kept of it.
type run struct {
	results.Summary
	spans      []results.Span
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

// stretch returns the rows of one stretch, a row a pool, that begins at spans[i].
func (r *run) stretch(i int) []results.Span {
	n := i + 1
	for n < len(r.spans) && r.spans[n].StartS == r.spans[i].StartS {
		n++
	}
	return r.spans[i:n]
}

// at returns the stretch that holds an instant, the last one for later instants.
func (r *run) at(s float64) []results.Span {
	i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].EndS > s })
	if i == len(r.spans) {
		i--
	}
	for i > 0 && r.spans[i-1].StartS == r.spans[i].StartS {
		i--
	}
	return r.stretch(i)
}

// end returns when the timeline ends.
func (r *run) end() float64 { return r.spans[len(r.spans)-1].EndS }

// progress returns the share of the way to the goal at an instant. The job
// advances at a constant rate in a stretch.
func (r *run) progress(s float64) float64 {
	x := r.at(s)[0]
	before := 0.0
	if i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].EndS > x.StartS }); i > 0 {
		before = r.spans[i-1].Progress
	}
	share := min(max((s-x.StartS)/(x.EndS-x.StartS), 0), 1)
	return before + share*(x.Progress-before)
}
