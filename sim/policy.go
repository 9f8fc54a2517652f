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
	// KnowsFuture: it knows the future, or does not pay what others pay (JobPlan.Free): an oracle. Results mark it as a bound.
	KnowsFuture bool
	// KnowsWork: it may ask how much work is left to jobs (JobView.WorkLeft), as a real scheduler can only of jobs whose users say
	// so. An oracle does, too.
	KnowsWork bool
	// KnowsModels: it gives no job an instance of a model on which it does not run.
	KnowsModels bool
}

// PlanForm is how a policy writes its plan. In each a decision costs what there is to look at: all active jobs and all pools; what
// it changed; or the tasks that it moved.
type PlanForm uint8

const (
	// ByHold: it sets JobPlan.Hold, a number for each pool.
	ByHold PlanForm = iota
	// ByParts: it is a scheduler of many jobs on many pools (of a cluster, a pool is a server) that changes the plan by Plan.Place and
	// Plan.Stop (Plan.Job for what else a JobPlan says); JobPlan.Hold is nil. It receives what became of jobs by View.JobChanges, and what is
	// free by View.Free, so that a decision costs what it changes, whatever the number of jobs that wait, run or are over. Jobs may
	// come from a Source, without an end. Jobs are gangs (GangModel), and their layouts list only pools of which they
	// hold something (Layout.Pools). It cannot ask for Plan.Remember.
	ByParts
	// ByTasks: a scheduler that packs. It rents instances for the run (hosts), and the tasks of several jobs may share one. Jobs are of
	// tasks (TaskModel). It rents by Plan.Rent, gives back by Plan.Return and places tasks by Plan.Assign; it sees the hosts by
	// View.Host. Plan.Place is not for it.
	ByTasks
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

// Place sets how many instances of pool p job j is to hold. It panics if j is not active.
func (p *Plan) Place(j, pool, n int) {
	if n < 0 {
		panic("sim: Plan.Place: a negative number of instances")
	}
	if !p.sparse {
		p.Jobs[j].Hold[pool] = n
		return
	}
	x := p.Job(j)
	if k := x.part(pool); k >= 0 {
		x.parts[k].N = int32(n)
		return
	}
	x.parts = append(x.parts, Part{int32(pool), int32(n)})
	switch k := len(x.parts) - 1; {
	case x.places.isOn():
		x.places.note(pool, k)
	case k == longList:
		x.places = x.places.begin()
		for k := range x.parts {
			x.places.note(int(x.parts[k].Pool), k)
		}
	}
}

// part returns the place of a pool in the parts of the plan, below 0 if it is not there.
func (p *JobPlan) part(pool int) int {
	if p.places.isOn() {
		return p.places.place(pool)
	}
	for k := range p.parts {
		if int(p.parts[k].Pool) == pool {
			return k
		}
	}
	return -1
}

// Stop makes job j hold nothing.
func (p *Plan) Stop(j int) {
	if !p.sparse {
		clear(p.Jobs[j].Hold)
		return
	}
	if x := &p.Jobs[j]; len(x.parts)+len(x.tasks) > 0 {
		p.Job(j).parts, x.tasks = x.parts[:0], x.tasks[:0]
		x.places.end()
	}
}

// Job returns the plan of job j for a change of it.
func (p *Plan) Job(j int) *JobPlan {
	x := &p.Jobs[j]
	if p.sparse && !x.edited {
		if !x.active {
			panic("sim: Plan: a job that is not submitted, or that is over")
		}
		x.edited = true
		p.edited = append(p.edited, j)
	}
	return x
}

// Held returns how many instances job j is to hold, over all pools.
func (p *Plan) Held(j int) int { return p.Jobs[j].Total() }

// Hold returns how many instances of a pool job j is to hold, in any world.
func (p *Plan) Hold(j, pool int) int {
	x := &p.Jobs[j]
	if !p.sparse {
		return x.Hold[pool]
	}
	if !x.active {
		return 0
	}
	if k := x.part(pool); k >= 0 {
		return int(x.parts[k].N)
	}
	return 0
}

// Parts returns what job j is to hold, in the order in which it was placed. It is valid until
// the plan of the job changes; of a job that is over it is what it held last. It is for a policy that plans by parts: in
// other worlds it is nil, see JobPlan.Hold.
func (p *Plan) Parts(j int) []Part { return p.Jobs[j].parts }

// JobChanges returns what became of jobs since the policy was last asked, in the order of time. It must not be changed or
// kept. It is for schedulers (ByParts, ByTasks); a policy that plans by JobPlan.Hold has none.
func (v View) JobChanges() []JobChange { return v.w.jobEvents }

// Free returns how many instances of pool p are within the quota that no job wants, by the
// plan in force, and that are not under notice; at least 0.
func (v View) Free(p int) int {
	return max(v.w.market.pools[p].Quota-int(v.w.pools[p].asked+v.w.pools[p].noticed), 0)
}

// tell notes what became of a job: for the scheduler, and for the recorder of jobs.
func (w *World) tell(j int, what JobEvent) {
	if w.plan.sparse || w.cfg.JobRecorder != nil { // here, where it costs no call
		w.report(j, what)
	}
}

func (w *World) report(j int, what JobEvent) {
	if w.plan.sparse && what != JobStarted && what != JobMoved && what != JobStopped {
		w.jobEvents = append(w.jobEvents, JobChange{j, what})
	}
	if r := w.cfg.JobRecorder; r != nil {
		r.Job(w.now, w.jobs[j].id, what)
	}
}

// View is what a policy sees at one instant: the present and the past, its own
// requests, notices, quotas and models; never capacity and never the future.
// It is valid during Decide only.
type View struct{ w *World }
