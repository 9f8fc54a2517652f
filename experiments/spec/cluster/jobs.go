// Package cluster is what a spec says of many jobs that share a cluster: which jobs, on which
// servers, and how they train.
package cluster

import (
	"fmt"
)

// Jobs says which jobs come: those of a trace, or of a generator.
type Jobs struct {
	Trace  string `json:"trace,omitempty" jsonschema:"file or folder with jobs, relative to this file, or pulled:NAME; any format that marigram traces import knows"`
	Format string `json:"format,omitempty" jsonschema:"format of the trace; recognised by content if absent"`
	Gavel  *Gavel `json:"gavel,omitempty" jsonschema:"instead of a trace: the generator of Gavel's experiments (OSDI 2020), anew for every seed; kinds of job are those of the speeds gavel"`

	Synthetic *Synthetic `json:"synthetic,omitempty" jsonschema:"instead of a trace: jobs with a rhythm of the day and the week, gangs and heavy-tailed durations, anew for every seed"`

	OfKinds *OfKinds `json:"of_kinds,omitempty" jsonschema:"instead of a trace: jobs of the kinds of model.gang.tasks, each as likely as the others, anew for every seed"`

	FromS          float64    `json:"from_s,omitempty" jsonschema:"leaves out jobs submitted before this time, in seconds after the first"`
	UntilS         *float64   `json:"until_s,omitempty" jsonschema:"leaves out jobs submitted from this time on, in seconds after the first"`
	Limit          int        `json:"limit,omitempty" jsonschema:"largest number of jobs, the first of those that are left; all if absent"`
	LongestS       float64    `json:"longest_s,omitempty" jsonschema:"leaves out jobs whose duration is longer, in seconds; none if absent"`
	FollowStart    bool       `json:"follow_start,omitempty" jsonschema:"a run that starts so much later in the history (a sweep's starts) has the jobs submitted that much later: both clocks go on together, and from_s and until_s count from the start; else every start has the same jobs"`
	Load           *float64   `json:"load,omitempty" jsonschema:"divides the times between submissions: 2 doubles the load; 1 if absent"`
	FirstS         float64    `json:"first_s,omitempty" jsonschema:"time from the beginning of a run to the first job; 0 if absent"`
	DropTooLarge   bool       `json:"drop_too_large,omitempty" jsonschema:"leaves out jobs for which the cluster has too few GPUs; else they are an error"`
	AllowTruncated bool       `json:"allow_truncated,omitempty" jsonschema:"accepts a trace whose last line has no end, as one that was cut has"`
	Deadlines      *Deadlines `json:"deadlines,omitempty" jsonschema:"gives a deadline to jobs that have none"`
	BelievedSigma  float64    `json:"believed_sigma,omitempty" jsonschema:"schedulers that know durations believe each to be exp(sigma z) times what it is, z normal, by the seed and the name of the job, with this sigma, 0 to 3; 0 or absent: they know them exactly"`

	Disorder string `json:"disorder,omitempty" jsonschema:"rows that go back in time: sort puts them in order; an error if absent"`
}

// Gavel says which workload Gavel's generator makes.
type Gavel struct {
	Jobs        int     `json:"jobs" jsonschema:"number of jobs"`
	MeanGapS    float64 `json:"mean_gap_s,omitempty" jsonschema:"mean time between two submissions; 0 or absent: all at once"`
	SeveralGPUs bool    `json:"several_gpus,omitempty" jsonschema:"jobs of 1, 2, 4 and 8 GPUs (70, 10, 15 and 5 %); else all have one"`
	Priorities  bool    `json:"priorities,omitempty" jsonschema:"a fifth of the jobs have a weight of 5"`
	Deadlines   bool    `json:"deadlines,omitempty" jsonschema:"jobs have a deadline of 1.2, 2 or 10 times their duration"`
	WholeSteps  bool    `json:"whole_steps,omitempty" jsonschema:"cuts the steps of a job to a whole number, as in its traces"`
}

// Check reports what is wrong with the jobs, which are at $.jobs.
func (j *Jobs) Check(at At) error {
	load, until := 1.0, float64(maxS)
	if j.Load != nil {
		load = *j.Load
	}
	if j.UntilS != nil {
		until = *j.UntilS
	}
	switch {
	case j.sources() != 1:
		return at("$.jobs", "expected one of trace (a file of jobs), gavel, synthetic and of_kinds (generators)")
	case j.Trace == "" && (j.Format != "" || j.Disorder != "" || j.AllowTruncated):
		return at("$.jobs", "format, disorder and allow_truncated belong to a trace")
	case j.Disorder != "" && j.Disorder != SortRows:
		return at("$.jobs.disorder", "%q, expected %s", j.Disorder, SortRows)
	case j.FromS < 0 || j.FromS > maxS:
		return at("$.jobs.from_s", "%v, expected 0 to %v", j.FromS, maxS)
	case until <= j.FromS || until > maxS:
		return at("$.jobs.until_s", "%v, expected more than from_s (%v) and at most %v", until, j.FromS, maxS)
	case j.FirstS < 0 || j.FirstS > maxS:
		return at("$.jobs.first_s", "%v, expected 0 to %v", j.FirstS, maxS)
	case j.Limit < 0 || j.Limit > MaxJobs:
		return at("$.jobs.limit", "%d, expected 1 to %d", j.Limit, MaxJobs)
	case !(load > 0) || load > 1e6:
		return at("$.jobs.load", "%v, expected more than 0 and at most 1e6", load)
	}
	if !(j.BelievedSigma >= 0 && j.BelievedSigma <= 3) {
		return at("$.jobs.believed_sigma", "%v, expected 0 to 3", j.BelievedSigma)
	}
	if j.LongestS < 0 || j.LongestS > maxS {
		return at("$.jobs.longest_s", "%v, expected above 0, at most %d", j.LongestS, maxS)
	}
	if err := j.OfKinds.check(at); err != nil {
		return err
	}
	if err := j.Deadlines.check(at); err != nil {
		return err
	}
	if err := j.Synthetic.check(at); err != nil {
		return err
	}
	return j.Gavel.check(at)
}

// sources is how many sources of jobs are given.
func (j *Jobs) sources() int {
	n := 0
	for _, given := range []bool{j.Trace != "", j.Gavel != nil, j.Synthetic != nil, j.OfKinds != nil} {
		if given {
			n++
		}
	}
	return n
}

// SortRows is the value of Jobs.Disorder.
const SortRows = "sort"

func (g *Gavel) check(at At) error {
	switch {
	case g == nil:
		return nil
	case g.Jobs < 1 || g.Jobs > MaxJobs:
		return at("$.jobs.gavel.jobs", "%d, expected 1 to %d", g.Jobs, MaxJobs)
	case g.MeanGapS < 0 || g.MeanGapS > 1e9:
		return at("$.jobs.gavel.mean_gap_s", "%v, expected 0 to 1e9", g.MeanGapS)
	}
	return nil
}

// Name is how results call the jobs.
func (j *Jobs) Name() string {
	if j.Gavel != nil {
		return fmt.Sprintf("gavel-%d-jobs", j.Gavel.Jobs)
	}
	if j.Synthetic != nil {
		return fmt.Sprintf("synthetic-%v-h", j.Synthetic.SpanH)
	}
	if j.OfKinds != nil {
		return fmt.Sprintf("kinds-%d-jobs", j.OfKinds.Jobs)
	}
	return baseName(j.Trace)
}
