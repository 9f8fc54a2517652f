// Package experiments runs studies. A spec (package spec) says which market, model,
// objectives and policies; package market makes the markets; a Study runs every
// objective under every policy and seed and returns the rows of package results:
//
//	s, err := spec.Open("quickstart")  // a file, or a spec that comes with marigram
//	study, err := experiments.NewStudy(s)
//	set, err := study.Run(ctx)         // all runs, on all cores
//	for _, a := range experiments.Aggregates(set.Summaries) { ... }
//
// Start with Study. A Worker runs single cases; package sweep runs grids of them,
// package claims compares published numbers with ours.
//
// A row of summary.parquet is filled in summary.go, timelines in recorder.go.
package experiments

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// Study is a spec that is ready to run.
type Study struct {
	Spec     *spec.Spec
	Markets  *market.Markets
	Starts   []time.Duration         // of the runs, into recorded traces; 0 alone without starts in the spec
	work     work                    // what the policies do
	models   []spec.JobModel         // by policy
	warnings [][len(outcomes)]string // of every run, by policy and outcome
	assumes  []string                // by policy: spec.Policy.Assumptions
	unbound  bool                    // no bound is known, as warned
	tooSmall [][]string              // by objective and policy: findTooSmall; nil: it was not asked

	// Timelines is the number of points (Points), from the first, whose runs keep what
	// happened in them: spans, decisions, candidates and instances. NewStudy sets
	// it to the spec's, 1 if that is silent; nothing is gained where nobody reads
	// them, and a run that keeps them takes many times as long.
	Timelines int

	// JobRows is the number of points, from the first, for which rows of jobs are kept without a timeline
	// (results.Set.Jobs); NewStudy sets it to 0.
	JobRows int
	// JobRow, if set, is called with these rows as the jobs end, instead of keeping them: run by run if JobRows is 1.
	// A row is valid during the call. An error ends the run.
	JobRow func(*results.Job) error

	// Rows, if set, is called at the end of Run with what happened in each run of which that is kept, run by run in
	// their order; what Run returns has the rows of the first seed only. Until then the others wait in a file. The set
	// is valid during the call, and has no summary. An error ends Run.
	Rows func(*results.Set) error

	// Warnings are why the numbers may mislead, of all policies.
	Warnings []string

	// Progress, if set, is called after every seed with the number of runs
	// done and of all runs, from several goroutines.
	Progress func(done, all int)
}

func (s *Study) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// Runs returns the number of runs. They are numbered by objective, then policy,
// then start, then seed.
func (s *Study) Runs() int {
	return len(s.Spec.Objectives) * len(s.Spec.Policies) * s.Points()
}

// number returns the number of the run of an objective under a policy at a point.
func (s *Study) number(objective, policy, point int) int64 {
	return int64((objective*len(s.Spec.Policies)+policy)*s.Points() + point)
}

// Points returns how many times each policy is run for each objective: the number of
// starts times that of seeds.
func (s *Study) Points() int { return len(s.Starts) * s.Spec.Seeds }

// OneJob refuses many jobs, for those that know of one only.
func (s *Study) OneJob() error {
	if !s.Spec.Workload().HasObjectives() {
		return fmt.Errorf("%s: many jobs (key jobs), expected objectives of one", s.Spec.Name)
	}
	return nil
}

// record is what one run leaves behind.
type record struct {
	summary results.Summary
	rows    *results.Set // what happened in it; nil if nothing of it is kept
}

// gather puts the records of runs together, in their order.
func gather(records []record) *results.Set {
	set := &results.Set{}
	for i := range records {
		set.Summaries = append(set.Summaries, records[i].summary)
		if rows := records[i].rows; rows != nil {
			set.Add(rows)
		}
	}
	return set
}
