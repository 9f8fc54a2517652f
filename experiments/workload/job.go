package workload

import (
	"fmt"
	"sync"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/synth/workload"
)

// Job is what a spec's source says of a job.
type Job struct {
	ID       string // unique
	Kind     string // what it runs; may be empty
	User, VC string // may be empty
	GPUs     int
	TaskGPUs float64       // of each of its tasks, where instances are shared; 0: a task is a GPU
	Submit   time.Duration // after the first
	Weight   float64       // above 0
	Deadline time.Duration // after its submission; 0: none

	steps      float64       // 0: not known
	duration   time.Duration // 0: not known
	durationOn string        // model of GPU, in lower case; empty: not known
	models     []string      // of GPU, in lower case, on which it may run; nil: on all
	file       int32         // of Workload.Inputs
	line       int64         // in its file; 0: it has none
}

// GPUHours returns the GPU-hours of so much time of its GPUs, or of its tasks.
func (j *Job) GPUHours(d sim.MachineTime) float64 {
	if j.TaskGPUs > 0 {
		return d.Hours() * j.TaskGPUs
	}
	return d.Hours()
}

// Workload is the source of a spec's jobs. It is safe for concurrent use.
type Workload struct {
	// Inputs are the files that were read.
	Inputs []traces.SourceFile
	// Warnings are why the jobs may mislead.
	Warnings []string

	spec  *spec.Spec
	table *throughput.Table // nil: none
	// together is how fast two jobs are on the same GPUs; nil: they do not share any.
	together *throughput.Pairs
	jobs     *jobStore // of a trace, in order of submission; nil: every seed has its own

	tables                  // where instances are shared
	rhythm *workload.Rhythm // of synthetic jobs

	lock sync.Mutex
	last *Jobs // that were asked for last
}

// place is where a job stands in its file, for errors.
func (w *Workload) place(j *Job) string {
	if j.line == 0 {
		return ""
	}
	name := ""
	if int(j.file) < len(w.Inputs) {
		name = w.Inputs[j.file].Path
	}
	return fmt.Sprintf("%s:%d: ", name, j.line)
}

// within is the time that a job has.
func (j *Job) within() sim.Objective {
	if j.Deadline == 0 {
		return sim.Objective{Within: sim.NoDeadline}
	}
	return sim.Objective{Within: j.Deadline}
}
