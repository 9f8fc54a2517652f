// Package reference replays the simulator of Eva (EuroSys 2025; uw-mad-dash/Eva at 0d735ce) as it counts: in ticks of a
// second, with instances that are rented and ended, and tasks that are launched, killed and moved. For
// claims only.
package reference

import (
	"github.com/marigram/marigram/policies/schedulers/eva"
)

// Start is how long a type of instance takes, s: to come up, and from then until tasks can be launched.
type Start struct{ Instantiate, Boot int }

// Workload is a kind of job.
type Workload struct {
	Name   string
	Tasks  int
	Demand []eva.Resources // of each task, by type
	Speed  float64         // iterations/s alone

	Init, Fetch, Build, Kill, Upload int // s
}

// Job is a job of the simulation. Jobs are numbered by their places.
type Job struct {
	Workload   *Workload
	Arrival    int // tick
	Iterations float64
}

// Config is a simulation.
type Config struct {
	Types  []eva.Type
	Starts []Start // by type
	Jobs   []Job
	// Together returns the relative speed of a workload beside another on one instance.
	Together func(of, other *Workload) float64
	// Pack plans with Eva, else every task has an instance of its own.
	Pack bool
	// Partial never plans all tasks anew: only those that wait, and those on instances that are
	// not worth their price.
	Partial bool
}

// Instance is what became of an instance: when it was paid from and until.
type Instance struct{ Type, Up, Down int }

// Result is what became of the jobs, by their end ticks, and of the instances.
type Result struct {
	Ends      []int
	Instances []Instance
	Full      int // plans that moved what was worth to be moved, not only what had to be
}
