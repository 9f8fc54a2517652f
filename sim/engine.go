package sim

import (
	"sort"

	"github.com/marigram/marigram/sim/internal/skip"
)

// Run runs the world to its end: the last job's finish, or the horizon.
func (w *World) Run() *Totals {
	w.RunUntil(Never)
	w.finishRun()
	return &w.totals
}

// NextDecision runs until the policy is to be asked, and stops just before: View is what it
// will see, and Fork copies the run as it stands. The next call (or Run) asks the policy and
// goes on. It reports false at the end of the run, which Run completes. What a plan causes at its own
// instant (Plan.AskAgain, a notice at once) is answered without a stop.
func (w *World) NextDecision() bool {
	w.stops = true
	w.RunUntil(Never)
	w.stops = false
	return w.due
}

// View returns what the policy sees at the present instant, after NextDecision. It is valid
// until the run goes on.
func (w *World) View() View { return View{w} }

// RunUntil runs everything that happens up to and including t, and reports
// whether the run goes on after it. Run ends it. The package's documentation gives
// the order of what happens at one instant.
func (w *World) RunUntil(t Time) bool {
	last := min(t, w.end)
	if w.due {
		w.due = false
		w.decide()
	}
	for !w.due {
		at := w.timers.next()
		fromPolicy := w.wake < at
		at = min(at, w.wake)
		fromMarket := w.nextRecord <= at
		at = min(at, w.nextRecord)
		if at > w.now && w.dirty {
			w.dirty = false
			if w.supply || w.trigger&^w.plan.skip != 0 || len(w.plan.waits) > 0 {
				w.settle()
				continue // settling may have set timers
			}
			w.trigger = 0
		}
		if w.unfinished == 0 {
			return false
		}
		if at > last {
			w.now = max(w.now, last)
			return last < w.end
		}
		if at > w.past.next {
			w.note(at)
		}
		w.now = at
		w.totals.Events++
		switch {
		case fromMarket:
			if w.skips {
				w.meetNext()
				break
			}
			r := &w.records[w.cursor]
			w.advance(w.cursor + 1)
			w.fromMarket(r)
		case fromPolicy: // the last of its instant; decide sets the timer again
			w.trigger |= w.woke()
			w.totals.Wakes++
			w.checkRest()
			w.settle()
		default:
			w.fromTimer()
		}
	}
	return true
}

// fromTimer handles the earliest timer.
func (w *World) fromTimer() {
	switch _, slot := w.timers.First(); {
	case slot < len(w.inst):
		w.fromInstance(int32(slot))
	case slot < w.jobBase:
		w.fromOutside(slot)
	default:
		w.fromJob(slot - w.jobBase)
	}
}

// woke says why the policy's timer went off.
func (w *World) woke() (why Trigger) {
	if w.wake < w.plan.wake {
		return TriggerMet
	}
	if why = TriggerWake; w.met <= w.now && len(w.plan.waits) > 0 {
		why |= TriggerMet
	}
	return why
}

// settle ends the present instant: it grants requests, lays jobs out and asks the
// policy.
func (w *World) settle() {
	w.dirty = false
	for w.supply { // a job that is lost gives instances back, which others may get
		w.supply = false
		if w.skips || !w.offers.empty() {
			w.grantWaiting()
		}
		w.layOut()
	}
	if w.trigger&^w.plan.skip == 0 || w.unfinished == 0 {
		w.trigger = 0
		if len(w.plan.waits) > 0 {
			w.lookOut()
		}
		return
	}
	if w.stops {
		w.asked, w.due = w.trigger, true
		return
	}
	w.decide()
}

// listen chooses the market's records that policy and recorder need from now on: prices, too, for those that watch them.
func (w *World) listen() {
	_, w.watch = w.cfg.Policy.(PriceWatcher)
	w.records = w.market.events
	all := w.watch || w.recorder != nil
	if all {
		w.records = w.market.all()
	}
	w.goThrough(!all && w.market.crowded(w.start, w.end))
}

// goThrough goes on with the records after now. Of a crowded market those are passed over that can touch neither what is held nor
// what is wanted.
func (w *World) goThrough(skips bool) {
	w.passed = sort.Search(len(w.records), func(i int) bool { return w.records[i].at > w.now })
	w.skips, w.meeting, w.loose = skips, false, false
	if !skips {
		for p := range w.pools {
			w.updateCapacity(p, w.now) // the run that this one is a fork of may have passed over it
		}
		w.advance(w.passed)
		return
	}
	w.loose = !w.offers.empty()
	w.coming.Reset(&w.market.ahead)
	for p := range w.pools {
		w.lookAhead(p)
	}
	w.advance(int(w.coming.First()))
}

// advance moves the cursor of the market's records.
func (w *World) advance(to int) {
	w.cursor, w.nextRecord = to, Never
	if to < len(w.records) {
		w.nextRecord = w.records[to].at
	}
}

// meetNext meets the record at the cursor, and finds the next that can matter.
func (w *World) meetNext() {
	r := &w.records[w.cursor]
	w.passed = w.cursor + 1
	matters := w.matters(r)
	if !matters {
		w.totals.Events-- // it did when it was looked up
	}
	if matters || w.loose {
		w.meeting = true
		w.fromMarket(r)
		w.meeting = false
	}
	w.lookAhead(int(r.pool))
	w.advance(int(w.coming.First()))
}

// matters reports whether a record changes more than the capacity that is looked up.
func (w *World) matters(r *record) bool {
	pool := &w.pools[r.pool]
	switch r.kind {
	case recordCapacity:
		return pool.unmarked > int32(r.value) || pool.waiting > 0 && r.rise
	case recordWarning:
		return pool.unmarked > int32(r.value)
	}
	return true
}

// lookAhead finds the next record that matters to pool p. One that is passed over would change nothing but the
// capacity, which is looked up when it counts (fleet.updateCapacity): it takes nothing that is held, and either nothing waits or it
// makes no room.
func (w *World) lookAhead(p int) {
	what, pool := skip.Held, &w.pools[p]
	if pool.waiting > 0 {
		what = skip.Wanted
		if w.loose {
			what = skip.Everything
		}
	}
	w.coming.Look(p, int32(w.passed), pool.unmarked, what)
}

// lookAgain looks ahead for a pool for which requests begin to wait, or were granted.
func (w *World) lookAgain(p int) {
	if w.meeting && p == int(w.records[w.cursor].pool) {
		return // meetNext does
	}
	if !w.meeting {
		w.pass()
	}
	w.lookAhead(p)
	w.advance(int(w.coming.First()))
}

// pass passes all records until now.
func (w *World) pass() {
	step := 1
	for w.isPast(w.passed + step - 1) {
		w.passed += step
		step *= 2
	}
	for step /= 2; step > 0; step /= 2 {
		if w.isPast(w.passed + step - 1) {
			w.passed += step
		}
	}
}

// isPast reports whether a record is there and not after now.
func (w *World) isPast(i int) bool { return i < len(w.records) && w.records[i].at <= w.now }

// loosen says whether every record of the pools for which requests wait is to be met: some request could be
// granted still, and is when the next record offers room.
func (w *World) loosen(loose bool) {
	if loose == w.loose {
		return
	}
	if w.loose = loose; !loose {
		return // what is met in vain by then changes nothing
	}
	w.pass()
	for p := range w.pools {
		if w.pools[p].waiting > 0 {
			w.lookAhead(p)
		}
	}
	w.advance(int(w.coming.First()))
}

func (w *World) fromMarket(r *record) {
	pool := &w.pools[r.pool]
	switch r.kind {
	case recordPrice:
		w.touch()
		if w.watch {
			w.trigger |= TriggerPrice
			w.dirty = true
		}
	case recordCapacity:
		w.touch()
		pool.capacity = int32(r.value)
		pool.fit()
		for pool.unmarked > pool.capacity { // the notice was missing, or too late
			w.revoke(w.victim(pool))
		}
		if !r.still { // else only a Recorder is told of it
			w.offer(pool)
		}
	case recordWarning:
		for pool.unmarked > int32(r.value) {
			w.markRevoked(w.victim(pool), r.at.Add(pool.facts.Notice))
		}
	case recordNodeUp:
		w.touch()
		w.nodes[pool.node+int32(r.value)] = nodeFree
		w.offer(pool)
	case recordNodeDown:
		w.touch()
		holder := &w.nodes[pool.node+int32(r.value)]
		if *holder >= 0 {
			w.revoke(*holder)
		}
		*holder = nodeGone
	case recordNodeWarning:
		if i := w.nodes[pool.node+int32(r.value)]; i >= 0 && w.inst[i].gone == Never {
			w.markRevoked(i, r.at.Add(pool.facts.Notice))
		}
	default:
		w.touch()
		w.fromLife(r)
	}
}

// offer marks a pool that may have room for waiting requests: where there is none now, what makes it offers the pool
// again. Requests that could be granted already are whenever there is something for those of any pool.
func (w *World) offer(pool *poolState) {
	if pool.waiting > 0 {
		w.offerRoom(pool)
		if !w.offers.empty() {
			w.supply, w.dirty = true, true
		}
	}
}

// offerRoom marks a pool if it has room. Of pools whose records are passed over (World.skips) it is not known.
func (w *World) offerRoom(pool *poolState) {
	if w.room(pool) || w.skips {
		w.offers.add(int(pool.id))
	}
}

// finishRun completes the accounts at the end of the run: of the jobs that are not done, too.
func (w *World) finishRun() {
	w.touch()
	w.closeHosts()
	for _, j := range w.active() {
		s := &w.jobs[j]
		s.settle(w.now)
		s.account(w.now)
		w.cut(j)
		w.close(j)
	}
	w.finishUnsubmitted()
	w.billRest()
	w.totals.End, w.totals.Bill = w.now, w.bill()
	w.finishPools()
	w.finishUnallocated()
	w.emitSpan()
}

// close books what job j has cost and done, now that it is over or the run ends.
func (w *World) close(j int) {
	s := &w.jobs[j]
	for k := range s.held {
		s.held[k].pay(&w.pools[s.poolOf(k)], w.now)
		w.charge(j, k)
	}
	rest := w.billRestOf(j)
	w.closed.add(&rest)
	s.bill.add(&rest)
	t := w.totalsOf(s.id)
	*t = JobTotals{}
	w.finishJobTotals(j, t)
	if w.cfg.JobRecorder != nil {
		w.cfg.JobRecorder.Ended(s.id, &w.specs[j], t)
	}
	s.closed = true
	w.plan.Jobs[j].active = false
	if w.recorder != nil {
		w.overJobs = append(w.overJobs, j)
	}
	w.jobOver(j)
}

// charge books what job j's k-th column has cost.
func (w *World) charge(j, k int) {
	s := &w.jobs[j]
	p, usd := s.poolOf(k), s.held[k].usd
	s.held[k].usd = 0
	pool := &w.market.pools[p]
	*s.bill.at(pool) += usd
	*w.totals.Pools[p].Bill.at(pool) += usd
	*w.closed.at(pool) += usd
}

// cut ends the run for job j, if it is not over.
func (w *World) cut(j int) {
	if !w.jobs[j].active() {
		return
	}
	w.takeBack(j)
	if w.spanFilled { // the last, which ends now
		x := &w.span.Jobs[j]
		x.Done, x.Loss = w.done(j, w.now), w.loss(j, w.now)
	}
}

// takeBack takes from a job that waits what going on as it trained last would: nobody has more of what it did.
func (w *World) takeBack(j int) {
	s := &w.jobs[j]
	if !s.begun || s.phase == phaseTraining || s.rate.Progress > 0 || w.costless(j) {
		return
	}
	var c *Change
	switch {
	case s.byTasks && w.tenants[j].stage != away:
		return
	case s.byTasks:
		c = w.relaunch(j)
	case len(s.trained.Workers) > 0:
		c = w.changeTo(j)
		c.To = &s.trained
	default:
		return
	}
	cost := w.specs[j].Model.Change(c)
	if cost.DropStep {
		s.dropStep()
	}
	if cost.Rollback {
		s.toSave(w.now)
	}
}

// fromOutside handles the timer of the arrivals, or of a queue.
func (w *World) fromOutside(slot int) {
	if slot < len(w.inst)+len(w.queues) {
		w.fromQueue(slot - len(w.inst))
		return
	}
	w.arrive()
}

func (w *World) fromInstance(i int32) {
	w.changed()
	x := &w.inst[i]
	switch {
	case x.gone <= w.now:
		w.revoke(i)
		return
	case x.marked <= w.now:
		x.marked = Never
		if x.gone == Never {
			w.markRevoked(i, w.now.Add(w.market.pools[x.pool].Notice))
		}
	default:
		w.ready(i)
	}
	w.setInstanceTimer(i, x)
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
	if h := w.hostPool(); h >= 0 {
		of := &w.jobs[h].bill
		u.TopUp, u.Refund = of.TopUp, of.Refund
	}
	u.tax(w.cfg.Billing.Tax)
}

func (w *World) finishJobTotals(j int, t *JobTotals) {
	s := &w.jobs[j]
	t.Finished, t.Lost = s.phase == phaseDone, s.phase == phaseLost
	t.Loss = w.loss(j, w.now)
	t.Done = w.done(j, w.now)
	t.Iterations, t.Samples = s.base.iterations, s.base.samples
	t.Elapsed = max(min(s.finish, w.now).Sub(s.submit), 0)
	act := s.activities
	act[Useful], act[Redundant] = s.base.useful, s.base.redundant
	for a := range act { // by place: a range over values copies them, which waits for the two writes
		t.Activities[a] = act[a]
		t.InstanceTime += act[a]
	}
	t.Bill = s.bill
	t.Bill.tax(w.cfg.Billing.Tax)
	if len(w.gangs) > 0 {
		w.gangs[j].total(t, s, w.now)
	}
}
