package workload

import (
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth/workload"
)

// place is where a job stands in its file, for errors.
func (j *Job) place() string {
	if j.from == "" {
		return ""
	}
	return j.from + ": "
}

// Job is what a spec's source says of a job.
type Job struct {
	ID       string // unique
	Kind     string // what it runs; may be empty
	User, VC string // may be empty
	GPUs     int
	Submit   time.Duration // after the first
	Weight   float64       // above 0
	Deadline time.Duration // after its submission; 0: none

	steps      float64       // 0: not known
	duration   time.Duration // 0: not known
	durationOn string        // model of GPU, in lower case; empty: not known
	models     []string      // of GPU, in lower case, on which it may run; nil: on all
	from       string        // file and line, for errors
}

// Workload is the source of a spec's jobs. It is safe for concurrent use.
type Workload struct {
	// Inputs are the files that were read.
	Inputs []traces.SourceFile
	// Warnings are why the jobs may mislead.
	Warnings []string

	spec  *spec.Spec
	table *throughput.Table // nil: none
	jobs  []Job             // of a trace, in order of submission

	rhythm *workload.Rhythm // of synthetic jobs
}

// Jobs are the jobs of one seed, in order of submission, as the spec says them and as the world has them.
type Jobs struct {
	List []Job
	Sim  []sim.Job
	// Dropped is how many jobs were left out because they are too large.
	Dropped int
	// Picky says of the first job that does not run on all models of GPU on which it does not; empty: there is none.
	Picky string
}

// unlimited is the time that a job without a deadline has.
const unlimited = 200 * 365 * 24 * time.Hour
