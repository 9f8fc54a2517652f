package workload

import (
	"fmt"
	"sync"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Workload is the source of a spec's jobs. It is safe for concurrent use.
type Workload struct {
	// Inputs are the files that were read.
	Inputs []traces.SourceFile
	// Warnings are why the jobs may mislead.
	Warnings []string

	spec   *spec.Spec
	claims cluster.Claimant   // nil: users ask for GPUs alone
	table  *throughput.Table  // nil: none
	phases *throughput.Phases // nil: none
	jobs   *jobStore          // of a trace, in order of submission; nil: every seed has its own

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

// objective is that a job is done in the time that it has.
func (j *Job) objective() sim.Objective {
	if j.Deadline == 0 {
		return sim.Objective{Within: sim.NoDeadline}
	}
	return sim.Objective{Within: j.Deadline}
}

// Jobs are the jobs of one seed on a market, in order of submission. It is a sim.Source, and safe for concurrent use.
type Jobs struct {
	// N is how many jobs there are.
	N int
	// Dropped is how many jobs were left out because they are too large.
	Dropped int
	// Picky says of the first job that does not run on all models of GPU on which it does not; empty: there is none.
	Picky string
	// Stranded says of the first job for which there are too few GPUs without those on demand that it is so; empty:
	// there is none.
	Stranded string
	// Larger says of the first job with more GPUs than the market has of any model, and of the first with more than
	// one, that it is so; empty: there is none.
	Larger struct{ Model, GPU string }
	// Strange are the kinds of settings of model.gang that no job is of.
	Strange []StrangeKind
	// Resizable is how many jobs have a number of GPUs that may change, and Perfect says of the first of them whose
	// speed is that of one GPU times their number that it is so; empty: there is none.
	Resizable int
	Perfect   string
	// Users and Kinds are those of the jobs.
	Users, Kinds Labels
	// Claim is what the user of the first job asks of a scheduler (sim.Job.Claim); nil: nothing.
	Claim any
	// Unnamed says which jobs take the speeds of the row * of model.gang.speeds, where it
	// names kinds; empty: there is none.
	Unnamed string

	of     *Workload
	seed   int64
	start  time.Duration // of the run
	market *sim.Market
	jobs   *jobStore
}

// StrangeKind is a kind of job that a setting of the spec names, and no job is of.
type StrangeKind struct{ Setting, Kind string }

// Labels are the users or the kinds of jobs, those without one included: one or several.
type Labels struct {
	One     string // the first; empty where that job has none
	Several bool
	any     bool
}

func (l *Labels) note(label string) {
	if !l.any {
		l.One = label
		l.any = true
	}
	l.Several = l.Several || label != l.One
}
