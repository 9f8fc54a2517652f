package sim

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
			r := &w.records[w.at]
			w.advance(w.at + 1)
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
		w.fromInstance(w, int32(slot))
	case slot < w.jobBase:
		w.fromOutside(slot)
	default:
		w.fromJob(w, slot-w.jobBase)
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
			w.grantWaiting(w)
		}
		w.layOut(w)
	}
	if w.trigger&^w.plan.skip == 0 || w.unfinished == 0 {
		w.trigger = 0
		if len(w.plan.waits) > 0 {
			w.armConditions()
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
	w.records = w.market.events
	all := w.traits.WatchesPrices || w.recorder != nil
	if all {
		w.records = w.market.all()
	}
	w.goThrough(w, !all && w.market.dense(w.start, w.end))
}

// meetNext meets the record at the cursor, and finds the next that can matter.
func (w *World) meetNext() {
	r := &w.records[w.at]
	w.passed = w.at + 1
	matters := w.matters(w, r)
	if !matters {
		w.totals.Events-- // it did when it was looked up
	}
	if matters || w.loose {
		w.meeting = true
		w.fromMarket(r)
		w.meeting = false
	}
	w.seek(w, int(r.pool))
	w.advance(int(w.ahead.First()))
}

func (w *World) fromMarket(r *record) {
	pool := &w.pools[r.pool]
	switch r.kind {
	case recordPrice:
		w.touch()
		if w.traits.WatchesPrices {
			w.trigger |= TriggerPrice
			w.dirty = true
		}
	case recordCapacity:
		w.touch()
		pool.capacity = int32(r.value)
		pool.fit()
		for pool.unmarked > pool.capacity { // the notice was missing, or too late
			w.revoke(w, w.victim(pool))
		}
		if !r.still { // else only a Recorder receives it
			w.offer(w, pool)
		}
	case recordWarning:
		for pool.unmarked > int32(r.value) {
			w.markRevoked(w, w.victim(pool), r.at.Add(pool.facts.Notice))
		}
	case recordNodeUp:
		w.touch()
		w.nodes[pool.node+int32(r.value)] = nodeFree
		w.offer(w, pool)
	case recordNodeDown:
		w.touch()
		holder := &w.nodes[pool.node+int32(r.value)]
		if *holder >= 0 {
			w.revoke(w, *holder)
		}
		*holder = nodeGone
	case recordNodeWarning:
		if i := w.nodes[pool.node+int32(r.value)]; i >= 0 && w.inst[i].gone == Never {
			w.markRevoked(w, i, r.at.Add(pool.facts.Notice))
		}
	default:
		w.touch()
		w.fromLife(w, r)
	}
}

// finishRun completes the accounts at the end of the run: of the jobs that are not done, too.
func (w *World) finishRun() {
	w.touch()
	w.closeHosts(w)
	for _, j := range w.active() {
		s := &w.jobs[j]
		s.settle(w.now)
		s.account(w.now)
		w.cut(w, j)
		w.close(w, j)
	}
	w.finishUnsubmitted(w)
	if len(w.failing) > 0 {
		w.countMachines(w)
	}
	w.billRest(w)
	w.totals.End, w.totals.Bill = w.now, w.bill(w)
	w.finishPools(w)
	w.finishUnallocated(w)
	w.emitSpan()
}

// fromOutside handles the timer of the arrivals, of a queue, or of machines that fail.
func (w *World) fromOutside(slot int) {
	switch first := slot - len(w.inst); {
	case first < len(w.queues):
		w.fromQueue(w, first)
	case first < len(w.queues)+len(w.failing):
		w.fromFailing(w, first-len(w.queues))
	default:
		w.arrive()
	}
}
