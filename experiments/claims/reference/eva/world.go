// Package eva replays the simulator of Eva (EuroSys 2025; uw-mad-dash/Eva at 0d735ce) as it counts: in ticks of a
// second, with instances that are rented and ended, and tasks that are launched, killed and moved. For
// claims only.
package eva

import (
	"slices"

	"github.com/marigram/marigram/policies/cluster/eva"
)

// Start is how long a type of instance takes to come up, s.
type Start struct{ Instantiate, RunWorker, Register int }

// Workload is a kind of job.
type Workload struct {
	Name   string
	Tasks  int
	Demand map[string]eva.Resources // of each task
	Speed  float64                  // iterations/s alone

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
	// Beside returns the relative speed of a workload beside another on one instance.
	Beside func(of, beside *Workload) float64
	// Pack plans with Eva, else every task has an instance of its own.
	Pack bool
}

// Instance is what became of an instance: when it was paid from and until.
type Instance struct{ Type, Up, Down int }

// Result is what became of the jobs, by their end ticks, and of the instances.
type Result struct {
	Ends      []int
	Instances []Instance
}

const (
	every = 300 // ticks between decisions
	gone  = 1   // tick until an instance has ended, or the tasks of a job that is done are off it
)

// state of a task.
type state uint8

const (
	queued state = iota
	launching
	launched
	killing
	uploading
	over
)

type task struct {
	eva.Task
	job   *job
	state state
	on    *instance // where it takes room
	to    *instance // where it is planned to be
}

type job struct {
	*Job
	id         int
	tasks      []*task
	arrived    bool
	active     bool
	done       bool
	iterations float64
	speed      float64
	activation int     // number of the activation that is awaited; others are dropped
	alone      float64 // USD/s of instances for it alone
	began      bool    // its launch has been issued
}

type instance struct {
	id, typ int
	running bool
	ending  bool // not to be used any more
	ended   bool
	up      int // tick, 0: not up
	tasks   []*task
	planned []*task // that are to be on it, in the order in which they were planned
	images  map[string]bool
}

// command is what waits until it can be done.
type command struct {
	launch, kill *task
	to           *instance // of a launch; alone: to be ended
	dropped      bool
}

type event struct {
	at int
	do func()
}

// world is a simulation under way.
type world struct {
	Config
	now       int
	events    []event // in order of creation
	commands  []*command
	jobs      []*job
	instances []*instance
	result    Result
	happened  bool
	scheduler
}

// Run simulates until all jobs are done and nothing is up.
func Run(c Config) Result {
	w := &world{Config: c}
	w.result.Ends = make([]int, len(c.Jobs))
	w.planner = eva.Planner{Types: c.Types, Speed: &eva.Speeds{}}
	for i := range c.Jobs {
		j := &job{Job: &c.Jobs[i], id: i}
		for k := range j.Workload.Tasks {
			j.tasks = append(j.tasks, &task{job: j, Task: eva.Task{ID: len(w.tasks), Demand: j.Workload.Demand, Tasks: j.Workload.Tasks,
				Name: j.Workload.Name + "[0]_node" + string(rune('0'+k))}})
			w.tasks = append(w.tasks, j.tasks[k])
		}
		w.jobs = append(w.jobs, j)
	}
	for ; !w.finished(); w.now++ {
		w.tick()
	}
	return w.result
}

// finished reports whether all jobs are done and no instance is up.
func (w *world) finished() bool {
	for _, j := range w.jobs {
		if !j.done {
			return false
		}
	}
	for _, x := range w.instances {
		if !x.ended {
			return false
		}
	}
	return true
}

// tick is one second.
func (w *world) tick() {
	w.happened = false
	w.due()
	for _, j := range w.jobs {
		if !j.arrived && j.Arrival <= w.now {
			j.arrived, w.happened = true, true
		}
	}
	if w.now%every == 0 {
		w.decide()
		w.happened = true
	}
	for _, j := range w.jobs {
		if !j.done && j.iterations >= j.Iterations {
			w.complete(j)
		}
	}
	if w.happened {
		w.issue()
		w.setSpeeds()
	}
	for _, j := range w.jobs {
		if j.active {
			j.iterations += j.speed
		}
	}
}

// due does what is due at this tick, in order of creation.
func (w *world) due() {
	for i := 0; i < len(w.events); {
		if w.events[i].at > w.now {
			i++
			continue
		}
		do := w.events[i].do
		w.events = slices.Delete(w.events, i, i+1)
		do()
		w.happened = true
	}
}

// after has something done in so many seconds.
func (w *world) after(seconds int, do func()) {
	w.events = append(w.events, event{w.now + seconds, do})
}
