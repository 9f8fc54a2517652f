package sim

func (t *Totals) reset(pools, jobs int) {
	*t = Totals{Jobs: resize(t.Jobs, jobs), Pools: resize(t.Pools, pools)}
	clear(t.Jobs)
	clear(t.Pools)
}

func (t *Totals) copyFrom(src *Totals) {
	jobs := append(t.Jobs[:0], src.Jobs...)
	pools := append(t.Pools[:0], src.Pools...)
	*t = *src
	t.Jobs = jobs
	t.Pools = pools
}

// reset empties the accounts of a run that begins at start.
func (a *accounts) reset(recorder Recorder, pools, jobs int, start Time) {
	a.recorder = recorder
	a.instanceRecorder, _ = recorder.(InstanceRecorder)
	a.slowRecorder, _ = recorder.(SlowRecorder)
	a.totals.reset(pools, jobs)
	a.recordedUntil = start
	a.spanFilled = false
	a.rest = 0
	a.moved = 0
	a.closed = Bill{}
	a.overJobs = a.overJobs[:0]
}

// copyFrom makes a equal to src, but without a recorder, reusing a's memory.
func (a *accounts) copyFrom(src *accounts) {
	a.totals.copyFrom(&src.totals)
	a.recorder = nil
	a.instanceRecorder = nil
	a.slowRecorder = nil
	a.recordedUntil = src.recordedUntil
	a.span = Span{}
	a.spanFilled = false
	a.tax = src.tax
	a.rest = src.rest
	a.moved = src.moved
	a.closed = src.closed
	a.overJobs = nil
}

// instanceEvent tells the recorder what happens to an instance.
func (a *accounts) instanceEvent(now Time, inst *instance, what InstanceEvent) {
	if a.instanceRecorder != nil { // here, where it costs no call
		a.tellInstance(now, inst, what)
	}
}

// tellInstance is kept out of instanceEvent, which else were too large to be inlined.
//
//go:noinline
func (a *accounts) tellInstance(now Time, inst *instance, what InstanceEvent) {
	a.instanceRecorder.Instance(now, int(inst.job), int(inst.pool), int(inst.ordinal), what)
}

// emitSpan tells the recorder the span that is filled.
func (a *accounts) emitSpan() {
	if a.spanFilled {
		bill := &a.totals.Bill
		a.span.USD += (bill.TopUp + a.moved + a.rest - bill.Refund) * (1 + a.tax)
		a.recorder.Span(&a.span)
		a.spanFilled = false
	}
}

// finishPools completes the totals of the pools.
func (w *World) finishPools() {
	for p := range w.pools {
		totals := &w.totals.Pools[p]
		if len(w.covers) > 0 {
			totals.CoveredUSD = min(w.coveredUSD(p, w.now), totals.Bill.OnDemand)
			totals.Bill.OnDemand -= totals.CoveredUSD
			totals.Bill.Commitments += w.committed(p, w.now)
		}
		totals.InstanceHours = float64(w.seen[p].held) / microsecondsPerHour
	}
	for i := range w.inst[:w.live] {
		if inst := &w.inst[i]; inst.state != instanceUnused {
			w.totals.Pools[inst.pool].InstanceHours += float64(w.now-inst.granted) / microsecondsPerHour
		}
	}
	for p := range w.pools {
		totals := &w.totals.Pools[p]
		totals.Bill.Disks = float64(w.cfg.Billing.DiskUSDPerHour * totals.InstanceHours)
		totals.Bill.tax(w.cfg.Billing.Tax)
	}
}

// finishUnallocated completes what is no job's.
func (w *World) finishUnallocated() {
	unallocated := &w.totals.Unallocated
	for p := range w.covers {
		totals := &w.totals.Pools[p]
		unallocated.OnDemand -= totals.CoveredUSD
		unallocated.Commitments += totals.Bill.Commitments
	}
	unallocated.tax(w.cfg.Billing.Tax)
}

func (w *World) finishJobTotals(j int, totals *JobTotals) {
	job := &w.jobs[j]
	totals.Finished = job.phase == phaseDone
	totals.Lost = job.phase == phaseLost
	totals.GivenUp = job.phase == phaseGivenUp
	totals.Loss = w.loss(j, w.now)
	totals.Done = w.done(j, w.now)
	totals.Iterations = job.base.iterations
	totals.Samples = job.base.samples
	totals.Elapsed = max(min(job.finish, w.now).Sub(job.submit), 0)
	act := job.activities
	act[Useful] = job.base.useful
	act[Redundant] = job.base.redundant
	for k := range act { // by place: a range over values copies them, which waits for the two writes
		totals.Activities[k] = act[k]
		totals.InstanceTime += act[k]
	}
	totals.Bill = job.bill
	totals.Bill.tax(w.cfg.Billing.Tax)
	if len(w.gangs) > 0 {
		w.gangs[j].total(totals, job, w.now)
	}
}

// totalsOf returns where the results of a job go: to the totals, or where jobs come from a source to the recorder of
// jobs only.
func (a *accounts) totalsOf(id int) *JobTotals {
	if id < len(a.totals.Jobs) {
		return &a.totals.Jobs[id]
	}
	return &a.jobTotals
}

// finishUnsubmitted completes the totals of the jobs that were not submitted.
func (w *World) finishUnsubmitted() {
	for j := range w.totals.Jobs {
		if w.jobs[j].phase == phaseUnsubmitted {
			w.finishJobTotals(j, &w.totals.Jobs[j])
		}
	}
}

// The events of an instance.
const (
	InstanceGranted  InstanceEvent = iota
	InstanceReady                  // it can train
	InstanceNoticed                // its revocation is announced
	InstanceRevoked                // the cloud took it
	InstanceReleased               // the job gave it back, or ended
	InstanceFailed                 // its machine failed (Pool.Failures)
	InstanceReplaced               // its machine was slow, and was replaced (Pool.Slow)
)

// changed marks the present instant as one that changes what a span shows.
func (w *World) changed() {
	w.touch()
	w.dirty = true
}

// touch is called before anything changes that a span shows.
func (w *World) touch() {
	if w.recorder != nil { // here, where it costs no call
		w.record()
	}
}

// record fills the span that ends now, once. The recorder receives it when the next one
// begins, so that its USD has all that is charged at its end.
func (w *World) record() {
	if w.recordedUntil == w.now {
		return
	}
	w.emitSpan()
	span := &w.span
	span.From = w.recordedUntil
	span.To = w.now
	w.recordedUntil = w.now
	w.spanFilled = true
	bill := w.bill()
	span.USD = (bill.Spot + bill.OnDemand + bill.ParameterServers + bill.Storage + bill.Disks + bill.Checkpoints +
		bill.Commitments +
		(bill.Transfers - w.moved)) * (1 + w.cfg.Billing.Tax) // moves are added when it is told
	span.Pools = resize(span.Pools, len(w.pools))
	span.Jobs = resize(span.Jobs, len(w.jobs))
	for p := range w.pools {
		span.Pools[p] = w.poolSpan(p, span.From)
	}
	w.recordChanged()
}

// recordChanged fills what the span says of the jobs that were there since the span before.
func (w *World) recordChanged() {
	span := &w.span
	first := span.From == w.start
	span.Changed = append(span.Changed[:0], w.overJobs...)
	w.overJobs = w.overJobs[:0]
	for _, j := range w.active() {
		w.addHeld(span.Pools, j)
		span.Changed = append(span.Changed, j)
	}
	if first {
		span.Changed = span.Changed[:0]
		for j := range w.jobs {
			span.Changed = append(span.Changed, j)
		}
	}
	for _, j := range span.Changed {
		w.recordJob(j)
	}
}

// recordJob fills what the span says of job j.
func (w *World) recordJob(j int) {
	job := &w.jobs[j]
	shown := &w.span.Jobs[j]
	shown.Activity = job.activity()
	shown.Done = w.done(j, w.now)
	shown.Loss = w.loss(j, w.now)
	shown.Rate = 0
	shown.Slowed = 0
	if job.phase == phaseTraining {
		shown.Rate = job.rate.Progress
		shown.Slowed = job.rate.Slowed
	}
	if job.phase == phaseTraining || job.phase == phaseStalled || job.phase == phaseSaving {
		shown.Layout.copyFrom(&job.layout)
	} else {
		shown.Layout.empty()
	}
}

func (w *World) poolSpan(p int, from Time) PoolSpan {
	pool := &w.pools[p]
	out := PoolSpan{Price: w.market.Price(p, from), Capacity: int(pool.capacity)}
	if pool.nodes > 0 {
		out.Capacity = 0
		for _, holder := range w.nodes[pool.node : pool.node+pool.nodes] {
			if holder != nodeGone {
				out.Capacity++
			}
		}
	}
	return out
}

// addHeld adds what job j has to the pools of a span.
func (w *World) addHeld(pools []PoolSpan, j int) {
	job := &w.jobs[j]
	for k := range job.held {
		held := &job.held[k]
		out := &pools[job.poolOf(k)]
		out.Waiting += int(held.waiting)
		out.Starting += int(held.starting)
		out.Ready += int(held.ready)
		out.Noticed += int(held.noticed)
	}
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
	if recorder := w.cfg.JobRecorder; recorder != nil {
		recorder.Job(w.now, w.jobs[j].id, what)
	}
}
