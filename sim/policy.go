package sim

// Stateful is a Policy whose decisions depend on what happened before in ways that a View
// does not show: queues that jobs moved through, service that they received. The world keeps
// what it remembers, so that the policy can be used for several runs and a fork has its own.
// A policy around another one has a method Unwrap() Policy, by which the world finds it.
type Stateful interface {
	Policy
	// NewState returns what the policy remembers at first: at the beginning of a run, where
	// from is nil, and in a fork, where from is what the run remembers, perhaps of
	// another policy, and the result shares no memory with it. used, if it is not nil, is what a
	// run that is over remembered, perhaps of another policy: its memory may become that of
	// the result, so that runs one after another allocate nothing.
	NewState(from, used any) any
}

// Policy decides what to hold. Its exported fields are its settings. Decide may
// keep scratch memory in unexported fields, but its decision is a function of
// the View and the settings alone, so that a fork can go its own way.
type Policy interface {
	// Name is how a spec calls the policy.
	Name() string
	// Decide looks at the world and changes the plan. It allocates nothing
	// when warm. The plan arrives as it was left the last time.
	Decide(v View, plan *Plan)
}

// Traits is what a policy says of itself, by a method Traits() sim.Traits; one without that method has none of them.
type Traits struct {
	// Plans says how the policy writes its plan.
	Plans PlanForm
	// WatchesPrices: it is asked whenever a price changes.
	WatchesPrices bool
	// KnowsFuture: it knows the future, or does not pay what others pay (JobPlan.Free): an oracle. Results mark it as a
	// bound.
	KnowsFuture bool
	// KnowsWork: it may ask how much work is left to jobs (JobView.WorkLeft), as a real scheduler can only of jobs
	// whose users say so. An oracle does, too.
	KnowsWork bool
	// KnowsModels: it gives no job an instance of a model on which it does not run.
	KnowsModels bool
}

// PlanForm is how a policy writes its plan. In each a decision costs what there is to look at: all active jobs and all
// pools; or what it changed.
type PlanForm uint8

const (
	// ByHold: it sets JobPlan.Hold, a number for each pool.
	ByHold PlanForm = iota
	// ByParts: it is a scheduler of many jobs on many pools (of a cluster, a pool is a server) that changes the plan by
	// Plan.Place and Plan.Stop (Plan.Job for what else a JobPlan says); JobPlan.Hold is nil. It receives what became of
	// jobs by View.JobChanges, and what is free by View.Free, so that a decision costs what it changes, whatever the
	// number of jobs that wait, run or are over. Jobs may come from a Source, without an end. Jobs are gangs
	// (GangModel), and their layouts list only pools of which they hold something (Layout.Pools). It cannot ask for
	// Plan.Remember.
	ByParts
)

// TraitsOf returns what a policy says of itself.
func TraitsOf(p Policy) Traits {
	if says, ok := p.(interface{ Traits() Traits }); ok {
		return says.Traits()
	}
	return Traits{}
}

// JobChange is something that became of a job.
type JobChange struct {
	Job  int
	What JobEvent
}

// JobRecorder receives what becomes of every job, in the order of time. It costs nothing
// between two events, unlike a Recorder, whose spans list all jobs.
type JobRecorder interface {
	// Job receives what becomes of a job, by its number in the run (JobView.ID).
	Job(now Time, id int, what JobEvent)
	// Ended receives the results of a job when it ends, and at the end of the run those of the
	// jobs that are not done, in the order of their numbers. They are valid during the call.
	Ended(id int, job *Job, t *JobTotals)
}

// View is what a policy sees at one instant: the present and the past, its own
// requests, notices, quotas and models; never capacity and never the future.
// It is valid during Decide only.
type View struct{ w *World }

// JobView is what a policy sees of one job.
type JobView struct {
	w *World
	j int
}
