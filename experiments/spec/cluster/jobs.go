// Package cluster is what a spec says of many jobs that share a cluster: which jobs, on which
// servers, and how they train.
package cluster

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/marigram/marigram/sim"
)

// Jobs says which jobs come: those of a trace, or of a generator.
type Jobs struct {
	Trace  string `json:"trace,omitempty" either:"source" jsonschema:"file or folder with jobs, relative to this file, or pulled:NAME; any format that marigram traces import knows"`
	Format string `json:"format,omitempty" needs:"trace" jsonschema:"format of the trace; recognised by content if absent"`
	Gavel  *Gavel `json:"gavel,omitempty" either:"source" jsonschema:"instead of a trace: the generator of Gavel's experiments (OSDI 2020), anew for every seed; kinds of job are those of the speeds gavel"`

	Synthetic *Synthetic `json:"synthetic,omitempty" either:"source" jsonschema:"instead of a trace: jobs with a rhythm of the day and the week, gangs and heavy-tailed durations, anew for every seed"`

	FromS          float64    `json:"from_s,omitempty" min:"0" max:"3162240000" jsonschema:"leaves out jobs submitted before this time, in seconds after the first"`
	UntilS         *float64   `json:"until_s,omitempty" above:"0" max:"3162240000" jsonschema:"leaves out jobs submitted from this time on, in seconds after the first"`
	Limit          int        `json:"limit,omitempty" min:"1" max:"4194304" jsonschema:"largest number of jobs, the first of those that are left; all if absent"`
	LongestS       float64    `json:"longest_s,omitempty" above:"0" max:"3162240000" jsonschema:"leaves out jobs whose duration is longer, in seconds; none if absent"`
	FollowStart    bool       `json:"follow_start,omitempty" jsonschema:"a run that starts so much later in the trace (a sweep's starts) has the jobs submitted that much later: both clocks go on together, and from_s and until_s count from the start; else every start has the same jobs"`
	Load           *float64   `json:"load,omitempty" above:"0" max:"1e6" jsonschema:"divides the times between submissions: 2 doubles the load; 1 if absent"`
	FirstS         float64    `json:"first_s,omitempty" min:"0" max:"3162240000" jsonschema:"time from the beginning of a run to the first job; 0 if absent"`
	DropTooLarge   bool       `json:"drop_too_large,omitempty" jsonschema:"leaves out jobs for which the cluster has too few GPUs; else they are an error"`
	AllowTruncated bool       `json:"allow_truncated,omitempty" needs:"trace" jsonschema:"accepts a trace whose last line has no end, as one that was cut has"`
	Deadlines      *Deadlines `json:"deadlines,omitempty" jsonschema:"gives a deadline to jobs that have none"`
	Resizable      *Resizable `json:"resizable,omitempty" jsonschema:"lets the number of GPUs of jobs change for which the trace does not say it (min_gpus and max_gpus)"`
	BelievedSigma  float64    `json:"believed_sigma,omitempty" min:"0" max:"3" jsonschema:"schedulers that know durations believe each to be exp(sigma z) times what it is, z normal, by the seed and the name of the job, with this sigma, 0 to 3; 0 or absent: they know them exactly"`

	Believed string `json:"believed,omitempty" names:"exact,requested,unknown" jsonschema:"what schedulers that know durations believe of each: exact (what it is; also if absent), requested (what its user asked for, by the trace) or unknown (an hour, of every job)"`

	Claims ClaimsSection `json:"-"` // the keys that packages have registered

	Disorder string `json:"disorder,omitempty" names:"sort" needs:"trace" jsonschema:"rows that go back in time: sort puts them in order; an error if absent"`
}

// Gavel says which workload Gavel's generator makes.
type Gavel struct {
	Jobs        int     `json:"jobs" min:"1" max:"4194304" jsonschema:"number of jobs"`
	MeanGapS    float64 `json:"mean_gap_s,omitempty" min:"0" max:"1e9" jsonschema:"mean time between two submissions; 0 or absent: all at once"`
	SeveralGPUs bool    `json:"several_gpus,omitempty" jsonschema:"jobs of 1, 2, 4 and 8 GPUs (70, 10, 15 and 5 %); else all have one"`
	Priorities  bool    `json:"priorities,omitempty" jsonschema:"a fifth of the jobs have a weight of 5"`
	Deadlines   bool    `json:"deadlines,omitempty" jsonschema:"jobs have a deadline of 1.2, 2 or 10 times their duration"`
	WholeSteps  bool    `json:"whole_steps,omitempty" jsonschema:"cuts the steps of a job to a whole number, as in its traces"`
}

// Check reports what is wrong with the jobs, which are at $.jobs.
func (j *Jobs) Check(at At) error {
	if j.UntilS != nil && *j.UntilS <= j.FromS {
		return at("$.jobs.until_s", "%v, expected more than from_s (%v)", *j.UntilS, j.FromS)
	}
	if err := j.Deadlines.check(at); err != nil {
		return err
	}
	if r := j.Resizable; r != nil && r.MaxGPUs < r.MinGPUs {
		return at("$.jobs.resizable.max_gpus", "%d, expected at least min_gpus (%d)", r.MaxGPUs, r.MinGPUs)
	}
	return j.Synthetic.check(at)
}

// The values of Jobs.Believed.
const (
	Requested = "requested"
	Unknown   = "unknown"
)

// Believes reports whether schedulers only believe how long jobs take.
func (j *Jobs) Believes() bool {
	return j.BelievedSigma > 0 || j.Believed == Requested || j.Believed == Unknown
}

// SortRows is the value of Jobs.Disorder.
const SortRows = "sort"

// Name is how results call the jobs.
func (j *Jobs) Name() string {
	if j.Gavel != nil {
		return fmt.Sprintf("gavel-%d-jobs", j.Gavel.Jobs)
	}
	if j.Synthetic != nil {
		return fmt.Sprintf("synthetic-%v-h", j.Synthetic.SpanH)
	}
	return baseName(j.Trace)
}

// baseName is a file's name without its folder.
func baseName(file string) string { return path.Base(strings.ReplaceAll(file, "\\", "/")) }

// Resizable is a rule that lets the number of GPUs of jobs change.
type Resizable struct {
	MinGPUs int `json:"min_gpus" min:"1" max:"1048576" jsonschema:"fewest GPUs of a job, or what it asks for if that is fewer; as far as model.gang.speeds says how fast it is"`
	MaxGPUs int `json:"max_gpus" min:"1" max:"1048576" jsonschema:"most GPUs of a job, or what it asks for if that is more; likewise"`
}

// Deadlines is a rule that gives deadlines to jobs that have none: a factor times the duration, with a slack between
// two limits. Each job draws its factor, by the seed of the run and its name.
type Deadlines struct {
	Factors   []float64 `json:"factors" above:"1" max:"1e6" items:"1000" jsonschema:"deadline after the submission by the job's duration, above 1; each job draws one of these, as likely as the others (Gavel, OSDI 2020, has 1.2, 2 and 10)"`
	MinSlackS float64   `json:"min_slack_s,omitempty" min:"0" max:"3162240000" jsonschema:"minimum time between the duration and the deadline, in seconds; 0 if absent"`
	MaxSlackS float64   `json:"max_slack_s,omitempty" above:"0" max:"3162240000" jsonschema:"maximum time between them, in seconds; no limit if absent"`
}

func (d *Deadlines) check(at At) error {
	if d != nil && d.MaxSlackS > 0 && d.MaxSlackS < d.MinSlackS {
		return at("$.jobs.deadlines.max_slack_s", "%v, expected at least min_slack_s (%v)", d.MaxSlackS, d.MinSlackS)
	}
	return nil
}

// Of returns the deadline of a job of a duration, by a number drawn in [0, 1).
func (d *Deadlines) Of(duration time.Duration, drawn float64) time.Duration {
	s := duration.Seconds()
	slack := max(s*(d.Factors[int(drawn*float64(len(d.Factors)))]-1), d.MinSlackS)
	if d.MaxSlackS > 0 {
		slack = min(slack, d.MaxSlackS)
	}
	return sim.At(s + slack).Sub(0)
}
