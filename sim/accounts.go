package sim

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

// reset empties the accounts of a run that begins at start.
func (a *accounts) reset(r Recorder, pools, jobs int, start Time) {
	a.recorder = r
	a.instanceRecorder, _ = r.(InstanceRecorder)
	a.totals.reset(pools, jobs)
	a.recordedUntil, a.spanFilled, a.rest, a.moved, a.closed, a.overJobs = start, false, 0, 0, Bill{}, a.overJobs[:0]
}

// copyFrom makes a equal to src, but without a recorder, reusing a's memory.
func (a *accounts) copyFrom(src *accounts) {
	a.totals.copyFrom(&src.totals)
	a.recorder, a.instanceRecorder = nil, nil
	a.recordedUntil, a.span, a.spanFilled, a.tax, a.rest, a.moved = src.recordedUntil, Span{}, false, src.tax, src.rest, src.moved
	a.closed, a.overJobs = src.closed, nil
}

// instanceEvent tells the recorder what happens to an instance.
func (a *accounts) instanceEvent(now Time, x *instance, what InstanceEvent) {
	if a.instanceRecorder != nil { // here, where it costs no call
		a.tellInstance(now, x, what)
	}
}

// tellInstance is kept out of instanceEvent, which else were too large to be inlined.
//
//go:noinline
func (a *accounts) tellInstance(now Time, x *instance, what InstanceEvent) {
	a.instanceRecorder.Instance(now, int(x.job), int(x.pool), int(x.ordinal), what)
}

// emitSpan tells the recorder the span that is filled.
func (a *accounts) emitSpan() {
	if a.spanFilled {
		b := &a.totals.Bill
		a.span.USD += (b.TopUp + a.moved + a.rest - b.Refund) * (1 + a.tax)
		a.recorder.Span(&a.span)
		a.spanFilled = false
	}
}

// finishPools completes the totals of the pools.
func (w *World) finishPools() {
	for p := range w.pools {
		t := &w.totals.Pools[p]
		if len(w.covers) > 0 {
			t.CoveredUSD = min(w.coveredUSD(p, w.now), t.Bill.OnDemand)
			t.Bill.OnDemand -= t.CoveredUSD
			t.Bill.Commitments += w.committed(p, w.now)
		}
		t.InstanceHours = float64(w.seen[p].held) / microsecondsPerHour
	}
	for i := range w.inst[:w.live] {
		if x := &w.inst[i]; x.state != instanceUnused {
			w.totals.Pools[x.pool].InstanceHours += float64(w.now-x.granted) / microsecondsPerHour
		}
	}
	for p := range w.pools {
		t := &w.totals.Pools[p]
		t.Bill.Disks = float64(w.cfg.Billing.DiskUSDPerHour * t.InstanceHours)
		t.Bill.tax(w.cfg.Billing.Tax)
	}
}

// finishUnallocated completes what is no job's.
func (w *World) finishUnallocated() {
	u := &w.totals.Unallocated
	for p := range w.covers {
		t := &w.totals.Pools[p]
		u.OnDemand -= t.CoveredUSD
		u.Commitments += t.Bill.Commitments
	}
	u.tax(w.cfg.Billing.Tax)
}

func (w *World) finishJobTotals(j int, t *JobTotals) {
	s := &w.jobs[j]
	t.Finished, t.Lost, t.GivenUp = s.phase == phaseDone, s.phase == phaseLost, s.phase == phaseGivenUp
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
	s := &w.span
	s.From, s.To, w.recordedUntil, w.spanFilled = w.recordedUntil, w.now, w.now, true
	bill := w.bill()
	s.USD = (bill.Spot + bill.OnDemand + bill.ParameterServers + bill.Storage + bill.Disks + bill.Checkpoints + bill.Commitments +
		(bill.Transfers - w.moved)) * (1 + w.cfg.Billing.Tax) // moves are added when it is told
	s.Pools, s.Jobs = resize(s.Pools, len(w.pools)), resize(s.Jobs, len(w.jobs))
	for p := range w.pools {
		s.Pools[p] = w.poolSpan(p, s.From)
	}
	w.recordChanged()
}

// recordChanged fills what the span says of the jobs that were there since the span before.
func (w *World) recordChanged() {
	s := &w.span
	first := s.From == w.start
	s.Changed = append(s.Changed[:0], w.overJobs...)
	w.overJobs = w.overJobs[:0]
	for _, j := range w.active() {
		w.addHeld(s.Pools, j)
		s.Changed = append(s.Changed, j)
	}
	if first {
		s.Changed = s.Changed[:0]
		for j := range w.jobs {
			s.Changed = append(s.Changed, j)
		}
	}
	for _, j := range s.Changed {
		w.recordJob(j)
	}
}

// recordJob fills what the span says of job j.
func (w *World) recordJob(j int) {
	x := &w.jobs[j]
	s := &w.span.Jobs[j]
	s.Activity = x.activity()
	s.Done = w.done(j, w.now)
	s.Loss = w.loss(j, w.now)
	s.Rate = 0
	if x.phase == phaseTraining {
		s.Rate = x.rate.Progress
	}
	if x.phase == phaseTraining || x.phase == phaseStalled || x.phase == phaseSaving {
		s.Layout.copyFrom(&x.layout)
	} else {
		s.Layout.empty()
	}
}

func (w *World) poolSpan(p int, from Time) PoolSpan {
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
func (w *World) addHeld(pools []PoolSpan, j int) {
	s := &w.jobs[j]
	for k := range s.held {
		h, out := &s.held[k], &pools[s.poolOf(k)]
		out.Waiting += int(h.waiting)
		out.Starting += int(h.starting)
		out.Ready += int(h.ready)
		out.Noticed += int(h.noticed)
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
	if r := w.cfg.JobRecorder; r != nil {
		r.Job(w.now, w.jobs[j].id, what)
	}
}
