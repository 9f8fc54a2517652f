package sim

import (
	"time"
)

// Totals are the results of one run.
type Totals struct {
	End   Time // of the run
	Bill  Bill
	Jobs  []JobTotals
	Pools []PoolTotals

	Events        int64 // market records and timers processed; records that cannot affect the run are left out
	Requests      int64 // instances requested
	Grants        int64
	Preemptions   int64 // instances that the cloud took
	Notices       int64
	Unannounced   int64 // preemptions without a notice
	Suspensions   int64 // times that the policy stopped a gang: preemptions by the scheduler
	Decisions     int64
	Wakes         int64 // decisions on the policy's own timer
	PlanChanges   int64
	QuotaRefusals int64 // instances requested beyond a quota
	// Unallocated is the part of Bill that is no job's: what hosts cost while nobody had or was to have a task there, and what their
	// minimum charges and rounding cost (under a Packer); commitments, less what they cover of the jobs' instances (its OnDemand,
	// below 0). It and the bills of all jobs add up to Bill, part by part.
	Unallocated Bill
	Moves       int64 // of a job's state to a pool where it was not, if they cost anything (Config.Moves)
}

// JobTotals are the results of one job.
type JobTotals struct {
	Finished     bool
	Lost         bool                    // ended by the loss of its chief (Pause.Fatal)
	Elapsed      time.Duration           // from submission to the finish, or to the run's end
	Done         float64                 // share of the training from its start to the goal
	Loss         float64                 // reached; +Inf if training never began
	Iterations   float64                 // normalised, without what was lost
	Samples      float64                 // without what was lost
	Activities   [Activities]MachineTime // time of instances
	InstanceTime MachineTime             // their sum
	Bill         Bill                    // its own, with what commitments cover of its instances at the price of each moment

	// Of a gang (GangModel); zero of other jobs.
	Started     time.Duration // from submission to when it first trained, below 0 if it never did
	Waited      time.Duration // from submission to the end, the time without instances on which it can train
	Suspensions int64         // times that the policy stopped it
	Preemptions int64         // times that the cloud stopped it: by taking instances, or announcing it
	Moves       int64         // times that it trained on elsewhere than before
}

// PoolTotals are the results of one pool, all jobs together.
type PoolTotals struct {
	// Bill is that of its instances and of what is committed there. What jobs pay beside instances is no pool's: parameter servers
	// with their rounding, storage, checkpoints, transfers.
	Bill          Bill
	CoveredUSD    float64 // what commitments cover of its instances at the price of each moment; Bill.OnDemand is without it
	InstanceHours float64 // for which jobs held instances of it; of large clusters more than a Duration has room for
	Grants        int64
	Preemptions   int64
}

func (t *Totals) reset(pools, jobs int) {
	*t = Totals{Jobs: resize(t.Jobs, jobs), Pools: resize(t.Pools, pools)}
	clear(t.Jobs)
	clear(t.Pools)
}

func (t *Totals) copyFrom(src *Totals) {
	jobs, pools := append(t.Jobs[:0], src.Jobs...), append(t.Pools[:0], src.Pools...)
	*t = *src
	t.Jobs, t.Pools = jobs, pools
}

// accounts is the totals of a run, and what its recorder is to be told.
type accounts struct {
	totals           Totals
	recorder         Recorder         // nil keeps totals only
	instanceRecorder InstanceRecorder // the recorder, if it implements this
	taskRecorder     TaskRecorder
	recordedUntil    Time // the end of the last span
	span             Span
	jobTotals        JobTotals // of a job that is told to a recorder only
	closed           Bill      // what is booked job by job (World.close), before tax
	tax              float64   // Billing.Tax
	rest             float64   // what commitments cost after the run, USD
	overJobs         []int     // that ended since the last span was filled; for a recorder
	spanFilled       bool      // the recorder is still to be told span
}

// reset empties the accounts of a run that begins at start.
func (a *accounts) reset(r Recorder, pools, jobs int, start Time) {
	a.recorder = r
	a.instanceRecorder, _ = r.(InstanceRecorder)
	a.taskRecorder, _ = r.(TaskRecorder)
	a.totals.reset(pools, jobs)
	a.recordedUntil, a.spanFilled, a.rest, a.closed, a.overJobs = start, false, 0, Bill{}, a.overJobs[:0]
}

// copyFrom makes a equal to src, but without a recorder, reusing a's memory.
func (a *accounts) copyFrom(src *accounts) {
	a.totals.copyFrom(&src.totals)
	a.recorder, a.instanceRecorder, a.taskRecorder = nil, nil, nil
	a.recordedUntil, a.span, a.spanFilled, a.tax, a.rest, a.closed, a.overJobs = src.recordedUntil, Span{}, false, src.tax, src.rest, src.closed, nil
}

// instanceEvent tells the recorder what happens to an instance.
func (a *accounts) instanceEvent(now Time, x *instance, what InstanceEvent) {
	if a.instanceRecorder != nil { // here, where it costs no call
		a.tellInstance(now, x, what)
	}
}

func (a *accounts) tellInstance(now Time, x *instance, what InstanceEvent) {
	a.instanceRecorder.Instance(now, a.holder(x), int(x.pool), int(x.ordinal), what)
}

// holder is the job of an instance, -1 for a host.
func (a *accounts) holder(x *instance) int {
	if int(x.job) == len(a.totals.Jobs) {
		return -1
	}
	return int(x.job)
}

// emitSpan tells the recorder the span that is filled.
func (a *accounts) emitSpan() {
	if a.spanFilled {
		b := &a.totals.Bill
		a.span.USD += (b.TopUp + b.Transfers + a.rest - b.Refund) * (1 + a.tax)
		a.recorder.Span(&a.span)
		a.spanFilled = false
	}
}

// gang counts what becomes of a job that is a gang (GangModel).
type gang struct {
	on      bool   // it has instances on which it trains, or will after a pause
	where   uint64 // a hash of those that it had last
	since   Time   // it is not on
	started Time   // Never until then
	waited  time.Duration

	suspensions, preemptions, moves int64
}

// note is told that the job was laid out, and whether the cloud had taken instances of it. It
// returns what became of the job, JobSubmitted for nothing.
func (g *gang) note(s *jobState, now Time, lost bool) JobEvent {
	on, was := s.rate.Progress > 0, g.on
	g.on = on
	switch {
	case on:
		if was && lost {
			g.preemptions++
		}
		return g.resume(&s.layout, now, was)
	case was && (lost || s.underNotice()):
		g.preemptions++
		g.since = now
	case was:
		g.suspensions++
		g.since = now
		return JobStopped
	}
	return JobSubmitted
}

// resume notes on which instances the job trains, and returns what that is.
func (g *gang) resume(l *Layout, now Time, was bool) JobEvent {
	where := uint64(1)
	for k, n := range l.Workers {
		if n > 0 {
			where += mix(uint64(l.Pool(k))<<32 | uint64(n)) // in any order
		}
	}
	return g.goOn(where, now, was)
}

// goOn is resume by a hash of where it trains.
func (g *gang) goOn(where uint64, now Time, was bool) JobEvent {
	g.on = true
	before, first := g.where, g.started == Never
	g.where = where
	switch {
	case first:
		g.started = now
	case where != before:
		g.moves++
	}
	if !was {
		g.waited += now.Sub(g.since)
		return JobStarted
	}
	if where != before {
		return JobMoved
	}
	return JobSubmitted
}

// end is told that the job is done or lost.
func (g *gang) end(now Time) {
	if !g.on {
		g.waited += now.Sub(g.since)
	}
	g.on, g.since = false, Never
}

// total adds what became of the job to its totals, at the end of the run.
func (g *gang) total(t *JobTotals, s *jobState, now Time) {
	t.Started, t.Waited, t.Suspensions, t.Preemptions, t.Moves = -1, g.waited, g.suspensions, g.preemptions, g.moves
	if g.started != Never {
		t.Started = g.started.Sub(s.submit)
	}
	if !g.on && g.since < now {
		t.Waited += now.Sub(g.since)
	}
}

// underNotice reports whether instances of the job are under notice.
func (s *jobState) underNotice() bool {
	for p := range s.held {
		if s.held[p].noticed > 0 {
			return true
		}
	}
	return false
}
