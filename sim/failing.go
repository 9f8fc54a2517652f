package sim

// resetFailures makes all machines as they are at the start of a run.
func (w *World) resetFailures() {
	failures := &w.failures
	failures.failing = failures.failing[:0]
	failures.machines = failures.machines[:0]
	failures.groupOf = failures.groupOf[:0]
	failures.seenAt = failures.seenAt[:0]
	failures.failed = failures.failed[:0]
	failures.failedAt = failures.failedAt[:0]
	failures.spares = 0
	failures.down = 0
	failures.since = w.start
	if !w.market.drawsFailures() {
		return
	}
	ring := 0
	for p := range w.pools {
		of := w.market.pools[p].Failures
		n := len(failures.failing)
		switch {
		case of == nil:
			failures.groupOf = append(failures.groupOf, -1)
			continue
		case n == 0 || failures.failing[n-1].of != of:
			w.openGroup(int32(p))
		}
		group := &failures.failing[len(failures.failing)-1]
		failures.groupOf = append(failures.groupOf, int32(len(failures.failing)-1))
		more := 1
		if !of.Whole {
			more = of.machines(int(w.pools[p].quota))
		}
		group.machines += int32(more)
		for range more {
			failures.machines = append(failures.machines, 0)
		}
		ring = max(ring, of.Retire)
	}
	if ring > 0 {
		failures.failed = resize(failures.failed, len(failures.machines))
		failures.failedAt = resize(failures.failedAt, ring*len(failures.machines))
		clear(failures.failed)
	}
	failures.seenAt = resize(failures.seenAt, len(w.jobs))
	clear(failures.seenAt)
}

// startFailures draws the first failures, and sets their timers.
func (w *World) startFailures() {
	for k := range w.failing {
		w.startGroup(&w.failing[k])
		w.timers.Set(w.failingSlot(k), w.failing[k].due())
	}
}

// openGroup adds a group that begins with pool p.
func (w *World) openGroup(p int32) {
	entity := w.market.series[p].entity
	old := machineEvents(nil)
	if n := len(w.failing); n < cap(w.failing) {
		old = w.failing[:n+1][n].events[:0]
	}
	w.failing = append(w.failing, failing{
		of: w.market.pools[p].Failures, first: p, at: int32(len(w.machines)), good: Never, bad: Never, events: old,
		draws:   w.rand.Stream(PurposeFailure, entity),
		bads:    w.rand.Stream(PurposeBadMachine, entity),
		repairs: w.rand.Stream(PurposeRepair, entity),
	})
}

// startGroup draws the first failures of a group, and takes out the machines that are down when the run starts.
func (w *World) startGroup(group *failing) {
	law := group.of
	switch {
	case len(law.Outages) > 0:
		for ; group.outage < len(law.Outages) && law.Outages[group.outage].From <= w.start; group.outage++ {
			outage := &law.Outages[group.outage]
			m := int32(outage.Machine)
			if outage.Until > w.start && m < group.machines && w.isUp(group, m) {
				w.takeDown(group, m, outage.Until, OutageRecorded, false)
			}
		}
	case law.clocks():
		for m := range group.machines {
			w.wind(group, m)
		}
	case law.PerHour > 0:
		group.good = group.nextGood(w.start)
		group.bad = group.nextBad(w.start)
	}
}

// machine is what is known of a machine.
func (f *fleet) machine(group *failing, m int32) machine { return f.machines[group.at+m] }

// isUp reports whether a machine is not being repaired, and not retired.
func (f *fleet) isUp(group *failing, m int32) bool { return f.machine(group, m)&machineDown == 0 }

// isBad reports whether a machine is bad by now.
func (f *fleet) isBad(group *failing, m int32) bool {
	n := group.bads0()
	if n == 0 || f.machine(group, m)&machineMended != 0 {
		return false
	}
	k := int32(int64(m) * int64(n) / int64(group.machines))
	for _, near := range [3]int32{k - 1, k, k + 1} { // rounding
		if near >= 0 && near < n && group.badMachine(near) == m {
			return true
		}
	}
	return false
}

// wind sets the clock of a machine that is up.
func (w *World) wind(group *failing, m int32) {
	rate := group.of.PerHour
	if w.isBad(group, m) {
		rate *= 1 + group.of.BadTimes
	}
	group.nGood++
	seconds := group.of.lasting(group.draws, group.nGood) * 3600 / rate
	group.events.push(machineEvent{at: w.now.After(seconds), machine: m, fails: true})
}

// fromFailing handles the timer of the k-th group.
func (w *World) fromFailing(k int) {
	group := &w.failing[k]
	for group.due() <= w.now {
		switch {
		case len(group.events) > 0 && group.events[0].at <= w.now:
			event := group.events.pop()
			if event.fails {
				w.fail(group, event.machine)
			} else {
				w.bringBack(group, event)
			}
		case group.outage < len(group.of.Outages) && group.of.Outages[group.outage].From <= w.now:
			outage := &group.of.Outages[group.outage]
			group.outage++
			m := int32(outage.Machine)
			if m < group.machines && w.isUp(group, m) {
				w.totals.Failures++
				w.takeDown(group, m, outage.Until, OutageRecorded, false)
			}
		case group.good <= w.now:
			n := group.nGood
			group.good = group.nextGood(w.now)
			w.mayFail(group, int32(group.draws.Intn(2*n+1, int(group.machines))))
		default:
			n := group.nBad
			group.bad = group.nextBad(w.now)
			m := group.badMachine(int32(group.bads.Intn(2*n+1, int(group.bads0()))))
			if w.machine(group, m)&machineMended == 0 {
				w.mayFail(group, m)
			}
		}
	}
	w.timers.Set(w.failingSlot(k), group.due())
}

// isDown reports whether pool p is a machine as a whole, and is down.
func (f *fleet) isDown(p int) bool {
	k := f.groupOf[p]
	if k < 0 {
		return false
	}
	group := &f.failing[k]
	return group.of.Whole && !f.isUp(group, int32(p)-group.first)
}

// mayFail fails a machine unless it is down, or may fail only while a job trains on it and none does.
func (w *World) mayFail(group *failing, m int32) {
	if w.isUp(group, m) && (!group.of.OnlyTraining || w.trainsOn(group, m)) {
		w.fail(group, m)
	}
}

// on returns the instances of a machine: all of its pool, or at most one.
func (f *fleet) on(group *failing, m int32) []int32 {
	if group.of.Whole {
		return f.membersOf(&f.pools[group.first+m])
	}
	at := f.pools[group.first].node + m
	if f.nodes[at] < 0 {
		return nil
	}
	return f.nodes[at : at+1]
}

// trainsOn reports whether a job trains on a machine now.
func (w *World) trainsOn(group *failing, m int32) bool {
	for _, i := range w.on(group, m) {
		inst := &w.inst[i]
		job := &w.jobs[inst.job]
		if inst.state == instanceReady && job.phase == phaseTraining && job.rate.Progress > 0 {
			return true
		}
	}
	return false
}

// fail fails a machine that is up.
func (w *World) fail(group *failing, m int32) {
	law := group.of
	w.totals.Failures++
	draw := group.nextRepair()
	if law.Undiagnosed > 0 && group.repairs.Uniform(draw) < law.Undiagnosed {
		w.lose(group, m)
		if law.clocks() {
			w.wind(group, m)
		}
		return
	}
	cause := OutageFailed
	if law.Misdiagnosed > 0 && group.repairs.Uniform(draw+1) < law.Misdiagnosed {
		other := w.another(group, m, group.repairs, draw+2)
		if other >= 0 {
			if law.clocks() {
				w.wind(group, m)
			}
			m = other
			cause = OutageMisdiagnosed
		}
	}
	if len(law.Repairs) == 0 || w.retires(group, m) {
		w.machines[group.at+m] |= machineRetired
		w.totals.Retired++
		w.takeDown(group, m, Never, cause, false)
		return
	}
	span, works := group.repair(draw)
	w.takeDown(group, m, w.now.Add(span), cause, works)
}

// another returns another machine of the group that jobs hold, -1 if there is none: the first from a drawn one on.
func (f *fleet) another(group *failing, m int32, draws Stream, n uint64) int32 {
	first := int32(draws.Intn(n, int(group.machines)))
	for k := range group.machines {
		other := (first + k) % group.machines
		if other != m && f.isUp(group, other) && len(f.on(group, other)) > 0 {
			return other
		}
	}
	return -1
}

// retires notes a failure of a machine, and reports whether it is one too many.
func (w *World) retires(group *failing, m int32) bool {
	n := int32(group.of.Retire)
	if n == 0 {
		return false
	}
	ring := int32(len(w.failedAt) / len(w.machines))
	at := group.at + m
	last := w.failedAt[at*ring : at*ring+n]
	last[w.failed[at]%n] = w.now
	w.failed[at]++
	return w.failed[at] >= n && w.now.Sub(last[w.failed[at]%n]) <= group.of.Within
}

// takeDown takes a machine out, with its instances, until its repair ends.
func (w *World) takeDown(group *failing, m int32, until Time, cause OutageCause, works bool) {
	w.lose(group, m)
	w.countMachines()
	w.down++
	w.totals.DownMax = max(w.totals.DownMax, int64(w.down))
	w.machines[group.at+m] |= machineDown
	p := group.first
	if group.of.Whole {
		p += m
	}
	if w.instanceRecorder != nil {
		w.instanceRecorder.Outage(w.now, until, int(p), int(m), cause)
	}
	if group.of.Whole {
		pool := &w.pools[p]
		pool.capacity = 0
		pool.fit()
	} else {
		w.nodes[w.pools[group.first].node+m] = nodeGone
	}
	if until != Never {
		group.events.push(machineEvent{at: until, machine: m, works: works, from: w.now})
	}
}

// lose takes the instances of a machine that failed from their jobs.
func (w *World) lose(group *failing, m int32) {
	w.changed()
	for on := w.on(group, m); len(on) > 0; on = w.on(group, m) {
		i := on[0]
		j := int(w.inst[i].job)
		if group.of.Detect > 0 {
			w.seenAt = append(w.seenAt, make([]Time, max(j+1-len(w.seenAt), 0))...)
			w.seenAt[j] = w.now.Add(group.of.Detect)
		}
		w.totals.Pools[w.inst[i].pool].Failures++
		w.takeAway(i, InstanceFailed)
	}
}

// bringBack brings a machine back after its repair.
func (w *World) bringBack(group *failing, event machineEvent) {
	w.changed()
	w.countMachines()
	w.down--
	w.totals.Repairs++
	machine := &w.machines[group.at+event.machine]
	*machine &^= machineDown
	if event.works {
		*machine |= machineMended
	}
	pool := &w.pools[group.first]
	if group.of.Whole {
		pool = &w.pools[group.first+event.machine]
		pool.capacity = unlimited
		pool.fit()
		w.trigger |= TriggerRepair
		w.dirty = true
	} else {
		w.nodes[pool.node+event.machine] = nodeFree
	}
	if group.of.clocks() {
		w.wind(group, event.machine)
	}
	w.offer(pool)
}

// imagineFailures makes the machines of an imagined future fail by their law from now on, and leaves those down that
// are down in src.
func (w *World) imagineFailures(src *fleet) {
	w.resetFailures()
	w.since = w.now
	if len(w.failing) == 0 {
		return
	}
	known := len(src.failing) > 0 // else src follows a past, of which the failures are not known
	if known {
		copy(w.machines, src.machines)
		copy(w.failed, src.failed)
		copy(w.failedAt, src.failedAt)
		copy(w.seenAt, src.seenAt)
		w.spares = src.spares
		w.down = src.down
		w.since = src.since
	}
	for k := range w.failing {
		group := &w.failing[k]
		if len(group.of.Outages) > 0 {
			group.of = group.of.asUntil(w.now, int(group.machines))
		}
		if known {
			w.stayDown(group, src.failing[k].events)
		}
		w.startImagined(group)
	}
}

// stayDown keeps the machines of a group down that are: for as long as is drawn anew, given how long they are down by
// now.
func (w *World) stayDown(group *failing, events machineEvents) {
	for _, event := range events {
		if event.fails {
			continue
		}
		span, works := group.repair(group.nextRepair())
		for tries := 0; event.from.Add(span) <= w.now && tries < 100; tries++ {
			span, works = group.repair(group.nextRepair())
		}
		event.at = max(event.from.Add(span), w.now+1)
		event.works = works
		group.events.push(event)
	}
	for m := range group.machines {
		if group.of.Whole && !w.isUp(group, m) {
			pool := &w.pools[group.first+m]
			pool.capacity = 0
			pool.fit()
		}
	}
}

// startImagined draws the next failures of the machines of a group that are up.
func (w *World) startImagined(group *failing) {
	switch {
	case group.of.clocks():
		for m := range group.machines {
			if w.isUp(group, m) {
				w.wind(group, m)
			}
		}
	case group.of.PerHour > 0:
		group.good = group.nextGood(w.now)
		group.bad = group.nextBad(w.now)
	}
}
