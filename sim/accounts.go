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
	// minimum charges and rounding cost (where the policy plans by tasks); commitments, less what they cover of the jobs' instances (its OnDemand,
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
	recordedUntil    Time             // the end of the last span
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
	a.totals.reset(pools, jobs)
	a.recordedUntil, a.spanFilled, a.rest, a.closed, a.overJobs = start, false, 0, Bill{}, a.overJobs[:0]
}

// copyFrom makes a equal to src, but without a recorder, reusing a's memory.
func (a *accounts) copyFrom(src *accounts) {
	a.totals.copyFrom(&src.totals)
	a.recorder, a.instanceRecorder = nil, nil
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

// close books what job j has cost and done, now that it is over or the run ends.
func (a *accounts) close(w *World, j int) {
	s := &w.jobs[j]
	for k := range s.held {
		s.held[k].pay(&w.pools[s.poolOf(k)], w.now)
		a.charge(w, j, k)
	}
	rest := a.billRestOf(w, j)
	a.closed.add(&rest)
	s.bill.add(&rest)
	t := a.totalsOf(s.id)
	*t = JobTotals{}
	a.finishJobTotals(w, j, t)
	if w.cfg.JobRecorder != nil {
		w.cfg.JobRecorder.Ended(s.id, &w.specs[j], t)
	}
	s.closed = true
	w.plan.Jobs[j].active = false
	if a.recorder != nil {
		a.overJobs = append(a.overJobs, j)
	}
	w.jobOver(j)
}

// charge books what job j's k-th column has cost.
func (a *accounts) charge(w *World, j, k int) {
	s := &w.jobs[j]
	p, usd := s.poolOf(k), s.held[k].usd
	s.held[k].usd = 0
	pool := &w.market.pools[p]
	*s.bill.at(pool) += usd
	*a.totals.Pools[p].Bill.at(pool) += usd
	*a.closed.at(pool) += usd
}

// finishPools completes the totals of the pools.
func (a *accounts) finishPools(w *World) {
	for p := range w.pools {
		t := &a.totals.Pools[p]
		if len(w.covers) > 0 {
			t.CoveredUSD = min(w.coveredUSD(p, w.now), t.Bill.OnDemand)
			t.Bill.OnDemand -= t.CoveredUSD
			t.Bill.Commitments += a.committed(w, p, w.now)
		}
		t.InstanceHours = float64(w.seen[p].held) / microsecondsPerHour
	}
	for i := range w.inst[:w.live] {
		if x := &w.inst[i]; x.state != instanceUnused {
			a.totals.Pools[x.pool].InstanceHours += float64(w.now-x.granted) / microsecondsPerHour
		}
	}
	for p := range w.pools {
		t := &a.totals.Pools[p]
		t.Bill.Disks = float64(w.cfg.Billing.DiskUSDPerHour * t.InstanceHours)
		t.Bill.tax(w.cfg.Billing.Tax)
	}
}

// finishUnallocated completes what is no job's.
func (a *accounts) finishUnallocated(w *World) {
	u := &a.totals.Unallocated
	for p := range w.covers {
		t := &a.totals.Pools[p]
		u.OnDemand -= t.CoveredUSD
		u.Commitments += t.Bill.Commitments
	}
	if h := w.hostOwner; h >= 0 {
		of := &w.jobs[h].bill
		u.TopUp, u.Refund = of.TopUp, of.Refund
	}
	u.tax(w.cfg.Billing.Tax)
}

func (a *accounts) finishJobTotals(w *World, j int, t *JobTotals) {
	s := &w.jobs[j]
	t.Finished, t.Lost = s.phase == phaseDone, s.phase == phaseLost
	t.Loss = w.loss(j, w.now)
	t.Done = w.done(j, w.now)
	t.Iterations, t.Samples = s.base.iterations, s.base.samples
	t.Elapsed = max(min(s.finish, w.now).Sub(s.submit), 0)
	act := s.activities
	act[Useful], act[Redundant] = s.base.useful, s.base.redundant
	for k := range act { // by place: a range over values copies them, which waits for the two writes
		t.Activities[k] = act[k]
		t.InstanceTime += act[k]
	}
	t.Bill = s.bill
	t.Bill.tax(w.cfg.Billing.Tax)
	if len(w.gangs) > 0 {
		w.gangs[j].total(t, s, w.now)
	}
}

// totalsOf returns where the results of a job go: to the totals, or where jobs come from a source to the recorder of jobs only.
func (a *accounts) totalsOf(id int) *JobTotals {
	if id < len(a.totals.Jobs) {
		return &a.totals.Jobs[id]
	}
	return &a.jobTotals
}

// finishUnsubmitted completes the totals of the jobs that were not submitted.
func (a *accounts) finishUnsubmitted(w *World) {
	for j := range a.totals.Jobs {
		if w.jobs[j].phase == phaseUnsubmitted {
			a.finishJobTotals(w, j, &a.totals.Jobs[j])
		}
	}
}

// Recorder is told what happens in a run, for timelines and explanations. Views and
// spans are valid during the call only.
type Recorder interface {
	// Span is told every span of time in which nothing changed.
	Span(s *Span)
	// Decision is told every decision, and whether it changed the plan.
	Decision(v View, plan *Plan, changed bool)
}

// Span is a part of a run in which nothing changed.
type Span struct {
	From, To Time
	Pools    []PoolSpan
	Jobs     []JobSpan
	// Changed are the jobs of which Jobs may say something else than in the span before: most of many jobs are over
	// or not submitted. In the first span they are all jobs.
	Changed []int
	USD     float64 // spent from the run's start to To
}

// PoolSpan is one pool in a span, all jobs together.
type PoolSpan struct {
	Price    float64 // USD per instance-hour
	Capacity int     // instances that can be held; -1 where the history does not limit it
	Waiting  int
	Starting int
	Ready    int
	Noticed  int
}

// JobSpan is one job in a span.
type JobSpan struct {
	// Activity is that of the instances in the layout; Redone while they do again
	// what was lost.
	Activity Activity
	Rate     float64 // progress per second, in the model's unit
	Done     float64 // share of the training that is done at To
	Loss     float64 // at To
}

// InstanceRecorder is a Recorder of what happens on every instance.
type InstanceRecorder interface {
	Recorder
	// Instance receives an event that happens now to the n-th instance, from 0,
	// that was granted in pool p, and that job j holds; -1: the run does, as a host (ByTasks).
	Instance(now Time, j, p, n int, what InstanceEvent)
	// Task receives, where the policy plans by tasks, where a task of job j was: on the n-th instance granted in pool p, from an
	// instant until another, and how that ended: InstanceRevoked, the cloud took an instance of the job; InstanceReleased, it
	// left; InstanceReady, the run ended.
	Task(from, until Time, j, task, p, n int, end InstanceEvent)
}

// InstanceEvent is what happens to an instance. The events of one instance come in
// the order below; Ready and Noticed may be missing or come in the other order.
type InstanceEvent uint8

// The events of an instance.
const (
	InstanceGranted  InstanceEvent = iota
	InstanceReady                  // it can train
	InstanceNoticed                // its revocation is announced
	InstanceRevoked                // the cloud took it
	InstanceReleased               // the job gave it back, or ended
)

// changed marks the present instant as one that changes what a span shows.
func (w *World) changed() {
	w.touch()
	w.dirty = true
}

// touch is called before anything changes that a span shows.
func (w *World) touch() {
	if w.recorder != nil { // here, where it costs no call
		w.record(w)
	}
}

// record fills the span that ends now, once. The recorder receives it when the next one
// begins, so that its USD has all that is charged at its end.
func (a *accounts) record(w *World) {
	if a.recordedUntil == w.now {
		return
	}
	a.emitSpan()
	s := &a.span
	s.From, s.To, a.recordedUntil, a.spanFilled = a.recordedUntil, w.now, w.now, true
	bill := a.bill(w)
	s.USD = (bill.Spot + bill.OnDemand + bill.ParameterServers + bill.Storage + bill.Disks + bill.Checkpoints + bill.Commitments) * (1 + w.cfg.Billing.Tax)
	s.Pools, s.Jobs = resize(s.Pools, len(w.pools)), resize(s.Jobs, w.count())
	for p := range w.pools {
		s.Pools[p] = a.poolSpan(w, p, s.From)
	}
	a.recordChanged(w)
}

// recordChanged fills what the span says of the jobs that were there since the span before.
func (a *accounts) recordChanged(w *World) {
	s := &a.span
	first := s.From == w.start
	s.Changed = append(s.Changed[:0], a.overJobs...)
	a.overJobs = a.overJobs[:0]
	if h := w.hostOwner; h >= 0 {
		a.addHeld(w, s.Pools, h)
	}
	for _, j := range w.active() {
		a.addHeld(w, s.Pools, j)
		s.Changed = append(s.Changed, j)
	}
	if first {
		s.Changed = s.Changed[:0]
		for j := range w.count() {
			s.Changed = append(s.Changed, j)
		}
	}
	for _, j := range s.Changed {
		a.recordJob(w, j)
	}
}

// recordJob fills what the span says of job j.
func (a *accounts) recordJob(w *World, j int) {
	x := &w.jobs[j]
	s := &a.span.Jobs[j]
	*s = JobSpan{Activity: x.activity(), Done: w.done(j, w.now), Loss: w.loss(j, w.now)}
	if x.phase == phaseTraining {
		s.Rate = x.rate.Progress
	}
}

func (a *accounts) poolSpan(w *World, p int, from Time) PoolSpan {
	s := &w.pools[p]
	out := PoolSpan{Price: w.market.Price(p, from), Capacity: int(s.capacity)}
	if s.nodes > 0 {
		out.Capacity = 0
		for _, holder := range w.nodes[s.node : s.node+s.nodes] {
			if holder != nodeGone {
				out.Capacity++
			}
		}
	}
	return out
}

// addHeld adds what job j has to the pools of a span.
func (a *accounts) addHeld(w *World, pools []PoolSpan, j int) {
	s := &w.jobs[j]
	for k := range s.held {
		h, out := &s.held[k], &pools[s.poolOf(k)]
		out.Waiting += int(h.waiting)
		out.Starting += int(h.starting)
		out.Ready += int(h.ready)
		out.Noticed += int(h.noticed)
	}
}
