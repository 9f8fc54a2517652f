package sim

import "time"

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

// RunUntil runs everything that happens up to and including an instant, and reports
// whether the run goes on after it. Run ends it. The package's documentation gives
// the order of what happens at one instant.
func (w *World) RunUntil(until Time) bool {
	last := min(until, w.end)
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
			change := &w.records[w.at]
			w.advance(w.at + 1)
			w.fromMarket(change)
		case fromPolicy: // the last of its instant; decide sets the timer again
			w.trigger |= w.woke()
			w.totals.Wakes++
			w.checkRest()
			w.settle()
		default:
			if _, slot := w.timers.First(); slot < len(w.inst) {
				w.fromInstance(int32(slot))
			} else {
				w.fromSlot(slot)
			}
		}
	}
	return true
}

// woke says why the policy's timer went off.
func (w *World) woke() Trigger {
	if w.wake < w.plan.wake {
		return TriggerMet
	}
	if w.met <= w.now && len(w.plan.waits) > 0 {
		return TriggerWake | TriggerMet
	}
	return TriggerWake
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
	if w.trigger&^w.plan.skip == 0 && w.unfinished > 0 && w.disbandParts() {
		w.trigger = TriggerAgain
	}
	if w.trigger&^w.plan.skip == 0 || w.unfinished == 0 {
		w.trigger = 0
		if len(w.plan.waits) > 0 {
			w.armConditions()
		}
		return
	}
	if w.stops {
		w.asked = w.trigger
		w.due = true
		return
	}
	w.decide()
}

// fromMarket handles a record of the market.
func (w *World) fromMarket(change *record) {
	pool := &w.pools[change.pool]
	switch change.kind {
	case recordPrice:
		w.touch()
		if w.traits.WatchesPrices {
			w.trigger |= TriggerPrice
			w.dirty = true
		}
	case recordCapacity:
		w.touch()
		pool.capacity = int32(change.value)
		pool.fit()
		for pool.unmarked > pool.capacity { // the notice was missing, or too late
			w.revoke(w.victim(pool))
		}
		if !change.still { // else only a Recorder receives it
			w.offer(pool)
		}
	case recordWarning:
		for pool.unmarked > int32(change.value) {
			w.markRevoked(w.victim(pool), change.at.Add(pool.facts.Notice))
		}
	case recordNodeUp:
		w.touch()
		w.nodes[pool.node+int32(change.value)] = nodeFree
		w.offer(pool)
	case recordNodeDown:
		w.touch()
		holder := &w.nodes[pool.node+int32(change.value)]
		if *holder >= 0 {
			w.revoke(*holder)
		}
		*holder = nodeGone
	case recordNodeWarning:
		i := w.nodes[pool.node+int32(change.value)]
		if i >= 0 && w.inst[i].gone == Never {
			w.markRevoked(i, change.at.Add(pool.facts.Notice))
		}
	default:
		w.touch()
		w.fromLife(change)
	}
}

// finishRun completes the accounts at the end of the run: of the jobs that are not done, too.
func (w *World) finishRun() {
	w.touch()
	for _, j := range w.active() {
		job := &w.jobs[j]
		job.settle(w.now)
		job.account(w.now)
		w.cut(j)
		w.close(j)
	}
	w.finishUnsubmitted()
	if len(w.failing) > 0 {
		w.countMachines()
	}
	w.billRest()
	w.totals.End = w.now
	w.totals.Bill = w.bill()
	w.finishPools()
	w.finishUnallocated()
	w.emitSpan()
}

// fromSlot handles a timer that is no instance's: of a job, of the arrivals, of a queue, or of machines that fail.
func (w *World) fromSlot(slot int) {
	queue := slot - w.queueSlot(0)
	group := slot - w.failingSlot(0)
	switch {
	case slot >= w.jobBase:
		w.fromJob(slot - w.jobBase)
	case queue < len(w.queues):
		w.fromQueue(queue)
	case group < len(w.failing):
		w.fromFailing(group)
	case w.slow.on() && slot == w.slowSlot():
		w.fromSlow()
	default:
		w.arrive()
	}
}

// Report sets the share of its training that job j has done by now, in [0, 1), as it was measured; what
// is beyond it of a save is lost. It is for a run that follows a past, after NextDecision, and
// reports whether anything is set: not of a job that is not active, and not that nothing is done of one that has
// not begun. A job that has not begun is taken to have done that, and saved it, before what is known of its
// instances: its policy may train on other layouts than the one that did it.
func (w *World) Report(j int, done float64) bool {
	if !w.market.granting || !(done >= 0 && done < 1) {
		panic("sim: World.Report: a run in a market that grants what is known, " +
			"and a share from 0 to below 1, are expected")
	}
	job := &w.jobs[j]
	if !job.active() {
		return false
	}
	if !job.begun && done == 0 {
		return false
	}
	if !job.begun {
		w.begin(j)
		job.base.progress = job.first + done*(job.goal-job.first)
		job.high = job.base.progress
		job.stepsFrom = job.base.progress
		job.saved = job.base
		return true
	}
	w.accountJob(j, w.now)
	job.settle(w.now)
	job.base.progress = job.first + done*(job.goal-job.first)
	job.high = job.base.progress
	job.stepsFrom = min(job.stepsFrom, job.base.progress)
	job.saved.progress = min(job.saved.progress, job.base.progress)
	job.pending.progress = min(job.pending.progress, job.base.progress)
	if job.phase != phaseStalled && job.phase != phaseSaving {
		job.rate = w.specs[j].Model.Rate(&job.layout)
		job.rate.pace(w.cfg.Pace())
		if w.slow.on() {
			w.slowDown(j)
		}
	}
	w.run(j)
	return true
}

// ReportRan sets for how long job j, a gang, has run by now (JobView.Ran), as it was measured: at least 0. It is for a
// run that follows a past, after NextDecision.
func (w *World) ReportRan(j int, ran time.Duration) {
	if !w.market.granting || ran < 0 || len(w.gangs) == 0 {
		panic("sim: World.ReportRan: a run of gangs in a market that grants what is known, and a time of at least 0, " +
			"are expected")
	}
	w.gangs[j].waited += w.View().Job(j).Ran() - ran
}

// fromInstance handles the timer of an instance: it goes, comes under notice, or is ready.
func (w *World) fromInstance(i int32) {
	w.changed()
	inst := &w.inst[i]
	switch {
	case inst.gone <= w.now:
		w.revoke(i)
		return
	case inst.marked <= w.now:
		inst.marked = Never
		if inst.gone == Never {
			w.markRevoked(i, w.now.Add(w.market.pools[inst.pool].Notice))
		}
	default:
		w.ready(i)
	}
	w.setInstanceTimer(i, inst)
}
