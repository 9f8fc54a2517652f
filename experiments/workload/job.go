package workload

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
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

// tables are those of a spec whose jobs share instances.
type tables struct {
	types []throughput.Type
	kinds []throughput.Kind
	pairs throughput.InstancePairs
}

// Jobs are the jobs of one seed on a market, in order of submission. It is a sim.Source, and safe for concurrent use.
type Jobs struct {
	// N is how many jobs there are.
	N int
	// Dropped is how many jobs were left out because they are too large.
	Dropped int
	// Picky says of the first job that does not run on all models of GPU on which it does not; empty: there is none.
	Picky string
	// Stranded says of the first job for which there are too few GPUs without those on demand that it is so; empty: there is none.
	Stranded string
	// Larger says of the first job with more GPUs than the market has of any model, than any pool has, and
	// than one that it is so; empty: there is none.
	Larger struct{ Model, Pool, GPU string }
	// Strange are the kinds of model.gang.network_by_kind that no job is of.
	Strange []string
	// Unnamed says which jobs take the speeds of the row * of model.gang.speeds, where it
	// names kinds; empty: there is none.
	Unnamed string

	of     *Workload
	seed   int64
	start  time.Duration // of the run
	market *sim.Market
	jobs   *jobStore
}

// next reads a job, whose Submit is counted from the first of all; false after the last.
func (c *cursor) next(j *Job) (bool, error) {
	b, err := c.in.Peek(recordBytes)
	if err == io.EOF && len(b) == 0 {
		return false, nil
	} else if err != nil {
		return false, err
	}
	le := binary.LittleEndian
	wide := func(k int) uint64 { return le.Uint64(b[8*k:]) }
	short := func(k int) uint32 { return le.Uint32(b[48+4*k:]) }
	*j = Job{Submit: time.Duration(int64(wide(0))-c.of.first) * time.Microsecond, Weight: math.Float64frombits(wide(1)),
		steps: math.Float64frombits(wide(2)), duration: time.Duration(wide(3)), Deadline: time.Duration(wide(4)), line: int64(wide(5)),
		GPUs: int(short(0)), file: int32(short(1)), Kind: c.of.words[short(2)], User: c.of.words[short(3)], VC: c.of.words[short(4)],
		models: c.of.models[short(5)], durationOn: c.of.words[short(6)]}
	n := int(le.Uint16(b[76:]))
	if _, err := c.in.Discard(recordBytes); err != nil {
		return false, err
	}
	name, err := c.in.Peek(n)
	if err != nil {
		return false, err
	}
	j.ID = string(name)
	c.at += int64(recordBytes + n)
	_, err = c.in.Discard(n)
	return true, err
}
