package gym

import (
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// task is what an agent is asked to do: to hold instances for one job, or to say where many jobs run (spec.Workload).
type task interface {
	// check says which rule is not as it should be, and completes them.
	check(r *Rules, s *spec.Spec) error
	// policy is one that the world can ask, before the task is open.
	policy() sim.Policy
	// open reads what an episode is like.
	open(c *sim.Config, pools []sim.Pool, r *Rules)
	actions() []Action
	fields() []Field
	// groupNames names what an action chooses of; none where it is a number of instances.
	groupNames() []string
	// within is the time from the submission to the deadline; 0: every job has its own.
	within() time.Duration
	// play returns what an environment knows of its episode.
	play() play
}

// play is an episode of a task.
type play interface {
	// policy is what the world asks.
	policy() sim.Policy
	// begin begins an episode.
	begin(c *sim.Config)
	// act takes an action.
	act(v sim.View, action []int32) error
	observe(v sim.View, to []float64) []float64
	// count takes in what has become of the jobs by the next decision.
	count(v sim.View)
	// besides is what has been paid besides the bill so far.
	besides() float64
	// finish returns how the episode ended; besides is that of the whole from then on.
	finish(t *sim.Totals) End
	// copyTo makes the same of an episode of the same task.
	copyTo(to play)
}

// tasks are those of the workloads of specs.
var tasks = map[spec.WorkloadKind]func() task{
	spec.OneJob:   func() task { return &jobTask{} },
	spec.ManyJobs: func() task { return &clusterTask{} },
}
