package reference

import (
	"github.com/marigram/marigram/policies/schedulers/eva"
)

const (
	every = 300 // ticks between decisions
	gone  = 1   // tick until an instance has ended, or the tasks of a job that is done are off it
)

const (
	queued state = iota
	launching
	launched
	killing
	uploading
	over
)

// state of a task.
type state uint8

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
	coming    []*job // that have not arrived, by arrival and id
	jobs      []*job // that have, by id; those that are done have left it, but for tasks that are killed for ever
	instances []*instance
	usable    []*instance // those not to be ended
	up        int         // instances that have not ended
	result    Result
	happened  bool
	busy      []*job // scratch: active jobs
	scheduler
}

// after has something done in n seconds.
func (w *world) after(seconds int, do func()) {
	w.events = append(w.events, event{w.now + seconds, do})
}

// scheduler is what the scheduler remembers from decision to decision.
type scheduler struct {
	planner eva.Planner
	tasks   []*task
	moving  []moved // by kind of task
	last    []*job  // movable at the last decision
	ticks   []int   // of arrivals and ends that it noticed
	full    int     // full plans taken

	running []eva.Running // at this decision: usable instances, with the tasks that are to be on them
	to      []*instance   // scratch: by task
}

// moved is the longest that a task was seen to take for its parts of a move, s.
type moved struct{ fetch, build, upload int }

func tasksOf(tasks []*task) []*eva.Task {
	var list []*eva.Task
	for _, t := range tasks {
		list = append(list, &t.Task)
	}
	return list
}
