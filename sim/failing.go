package sim

// resetFailures makes all machines as they are at the start of a run.
func (w *World) resetFailures() {
	x := &w.failures
	x.failing, x.machines, x.groupOf, x.seenAt, x.failed, x.failedAt = x.failing[:0], x.machines[:0], x.groupOf[:0], x.seenAt[:0], x.failed[:0], x.failedAt[:0]
	x.spares, x.down, x.since = 0, 0, w.start
	if !w.market.drawsFailures() {
		return
	}
	ring := 0
	for p := range w.pools {
		of := w.market.pools[p].Failures
		n := len(x.failing)
		switch {
		case of == nil:
			x.groupOf = append(x.groupOf, -1)
			continue
		case n == 0 || x.failing[n-1].of != of:
			w.openGroup(int32(p))
		}
		g := &x.failing[len(x.failing)-1]
		x.groupOf = append(x.groupOf, int32(len(x.failing)-1))
		more := 1
		if !of.Whole {
			more = of.machines(int(w.pools[p].quota))
		}
		g.machines += int32(more)
		for range more {
			x.machines = append(x.machines, 0)
		}
		ring = max(ring, of.Retire)
	}
	if ring > 0 {
		x.failed, x.failedAt = resize(x.failed, len(x.machines)), resize(x.failedAt, ring*len(x.machines))
		clear(x.failed)
	}
	x.seenAt = resize(x.seenAt, len(w.jobs))
	clear(x.seenAt)
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
		draws: w.rand.Stream(PurposeFailure, entity), bads: w.rand.Stream(PurposeBadMachine, entity), repairs: w.rand.Stream(PurposeRepair, entity),
	})
}

// startGroup draws the first failures of a group, and takes out the machines that are down when the run starts.
func (w *World) startGroup(g *failing) {
	of := g.of
	switch {
	case len(of.Outages) > 0:
		for ; g.outage < len(of.Outages) && of.Outages[g.outage].From <= w.start; g.outage++ {
			if o := &of.Outages[g.outage]; o.Until > w.start && int32(o.Machine) < g.machines && w.machine(g, int32(o.Machine))&machineDown == 0 {
				w.takeDown(g, int32(o.Machine), o.Until, OutageRecorded, false)
			}
		}
	case of.clocks():
		for m := range g.machines {
			w.wind(g, m)
		}
	case of.PerHour > 0:
		g.good, g.bad = g.nextGood(w.start), g.nextBad(w.start)
	}
}

// machine is what is known of a machine.
func (f *fleet) machine(g *failing, m int32) machine { return f.machines[g.at+m] }

// isBad reports whether a machine is bad by now.
func (f *fleet) isBad(g *failing, m int32) bool {
	n := g.bads0()
	if n == 0 || f.machine(g, m)&machineMended != 0 {
		return false
	}
	k := int32(int64(m) * int64(n) / int64(g.machines))
	for _, near := range [3]int32{k - 1, k, k + 1} { // rounding
		if near >= 0 && near < n && g.badMachine(near) == m {
			return true
		}
	}
	return false
}

// wind sets the clock of a machine that is up.
func (w *World) wind(g *failing, m int32) {
	rate := g.of.PerHour
	if w.isBad(g, m) {
		rate *= 1 + g.of.BadTimes
	}
	g.nGood++
	g.events.push(machineEvent{at: w.now.After(g.of.lasting(g.draws, g.nGood) * 3600 / rate), machine: m, fails: true})
}

// fromFailing handles the timer of the k-th group.
func (w *World) fromFailing(k int) {
	g := &w.failing[k]
	for g.due() <= w.now {
		switch {
		case len(g.events) > 0 && g.events[0].at <= w.now:
			if e := g.events.pop(); e.fails {
				w.fail(g, e.machine)
			} else {
				w.bringBack(g, e)
			}
		case g.outage < len(g.of.Outages) && g.of.Outages[g.outage].From <= w.now:
			o := &g.of.Outages[g.outage]
			g.outage++
			if m := int32(o.Machine); m < g.machines && w.machine(g, m)&machineDown == 0 {
				w.totals.Failures++
				w.takeDown(g, m, o.Until, OutageRecorded, false)
			}
		case g.good <= w.now:
			n := g.nGood
			g.good = g.nextGood(w.now)
			w.mayFail(g, int32(g.draws.Intn(2*n+1, int(g.machines))))
		default:
			n := g.nBad
			g.bad = g.nextBad(w.now)
			if m := g.badMachine(int32(g.bads.Intn(2*n+1, int(g.bads0())))); w.machine(g, m)&machineMended == 0 {
				w.mayFail(g, m)
			}
		}
	}
	w.timers.Set(w.failingSlot(k), g.due())
}

// isDown reports whether pool p is a machine as a whole, and is down.
func (f *fleet) isDown(p int) bool {
	k := f.groupOf[p]
	if k < 0 {
		return false
	}
	g := &f.failing[k]
	return g.of.Whole && f.machine(g, int32(p)-g.first)&machineDown != 0
}

// mayFail fails a machine unless it is down, or may fail only while a job trains on it and none does.
func (w *World) mayFail(g *failing, m int32) {
	if w.machine(g, m)&machineDown == 0 && (!g.of.OnlyTraining || w.trainsOn(g, m)) {
		w.fail(g, m)
	}
}

// on returns the instances of a machine: all of its pool, or at most one.
func (f *fleet) on(g *failing, m int32) []int32 {
	if g.of.Whole {
		return f.membersOf(&f.pools[g.first+m])
	}
	at := f.pools[g.first].node + m
	if f.nodes[at] < 0 {
		return nil
	}
	return f.nodes[at : at+1]
}

// trainsOn reports whether a job trains on a machine now.
func (w *World) trainsOn(g *failing, m int32) bool {
	for _, i := range w.on(g, m) {
		x := &w.inst[i]
		if s := &w.jobs[x.job]; x.state == instanceReady && s.phase == phaseTraining && s.rate.Progress > 0 {
			return true
		}
	}
	return false
}

// fail fails a machine that is up.
func (w *World) fail(g *failing, m int32) {
	of := g.of
	w.totals.Failures++
	draw := g.nextRepair()
	if of.Undiagnosed > 0 && g.repairs.Uniform(draw) < of.Undiagnosed {
		w.lose(g, m)
		if of.clocks() {
			w.wind(g, m)
		}
		return
	}
	cause := OutageFailed
	if of.Misdiagnosed > 0 && g.repairs.Uniform(draw+1) < of.Misdiagnosed {
		if other := w.another(g, m, g.repairs, draw+2); other >= 0 {
			if of.clocks() {
				w.wind(g, m)
			}
			m, cause = other, OutageMisdiagnosed
		}
	}
	if len(of.Repairs) == 0 || w.retires(g, m) {
		w.machines[g.at+m] |= machineRetired
		w.totals.Retired++
		w.takeDown(g, m, Never, cause, false)
		return
	}
	span, works := g.repair(draw)
	w.takeDown(g, m, w.now.Add(span), cause, works)
}

// another returns another machine of the group that jobs hold, -1 if there is none: the first from a drawn one on.
func (f *fleet) another(g *failing, m int32, d Stream, n uint64) int32 {
	first := int32(d.Intn(n, int(g.machines)))
	for k := range g.machines {
		if other := (first + k) % g.machines; other != m && f.machine(g, other)&machineDown == 0 && len(f.on(g, other)) > 0 {
			return other
		}
	}
	return -1
}

// retires notes a failure of a machine, and reports whether it is one too many.
func (w *World) retires(g *failing, m int32) bool {
	n := int32(g.of.Retire)
	if n == 0 {
		return false
	}
	ring := int32(len(w.failedAt) / len(w.machines))
	at := g.at + m
	last := w.failedAt[at*ring : at*ring+n]
	last[w.failed[at]%n] = w.now
	w.failed[at]++
	return w.failed[at] >= n && w.now.Sub(last[w.failed[at]%n]) <= g.of.Within
}

// takeDown takes a machine out, with its instances, until its repair ends.
func (w *World) takeDown(g *failing, m int32, until Time, cause OutageCause, works bool) {
	w.lose(g, m)
	w.countMachines()
	w.down++
	w.totals.DownMax = max(w.totals.DownMax, int64(w.down))
	w.machines[g.at+m] |= machineDown
	of := g.first
	if g.of.Whole {
		of += m
	}
	if w.instanceRecorder != nil {
		w.instanceRecorder.Outage(w.now, until, int(of), int(m), cause)
	}
	if g.of.Whole {
		pool := &w.pools[of]
		pool.capacity = 0
		pool.fit()
	} else {
		w.nodes[w.pools[g.first].node+m] = nodeGone
	}
	if until != Never {
		g.events.push(machineEvent{at: until, machine: m, works: works, from: w.now})
	}
}

// lose takes the instances of a machine that failed from their jobs.
func (w *World) lose(g *failing, m int32) {
	w.changed()
	for on := w.on(g, m); len(on) > 0; on = w.on(g, m) {
		i := on[0]
		if j := int(w.inst[i].job); g.of.Detect > 0 {
			w.seenAt = append(w.seenAt, make([]Time, max(j+1-len(w.seenAt), 0))...)
			w.seenAt[j] = w.now.Add(g.of.Detect)
		}
		w.totals.Pools[w.inst[i].pool].Failures++
		w.takeAway(i, InstanceFailed)
	}
}

// bringBack brings a machine back after its repair.
func (w *World) bringBack(g *failing, e machineEvent) {
	w.changed()
	w.countMachines()
	w.down--
	w.totals.Repairs++
	x := &w.machines[g.at+e.machine]
	*x &^= machineDown
	if e.works {
		*x |= machineMended
	}
	pool := &w.pools[g.first]
	if g.of.Whole {
		pool = &w.pools[g.first+e.machine]
		pool.capacity = unlimited
		pool.fit()
		w.trigger |= TriggerRepair
		w.dirty = true
	} else {
		w.nodes[pool.node+e.machine] = nodeFree
	}
	if g.of.clocks() {
		w.wind(g, e.machine)
	}
	w.offer(pool)
}

// imagineFailures makes the machines of an imagined future fail by their law from now on, and leaves those down that are down in src.
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
		w.spares, w.down, w.since = src.spares, src.down, src.since
	}
	for k := range w.failing {
		g := &w.failing[k]
		if len(g.of.Outages) > 0 {
			g.of = g.of.asUntil(w.now, int(g.machines))
		}
		if known {
			w.stayDown(g, src.failing[k].events)
		}
		w.startImagined(g)
	}
}

// stayDown keeps the machines of a group down that are: for as long as is drawn anew, given how long they are down by now.
func (w *World) stayDown(g *failing, events machineEvents) {
	for _, e := range events {
		if e.fails {
			continue
		}
		span, works := g.repair(g.nextRepair())
		for tries := 0; e.from.Add(span) <= w.now && tries < 100; tries++ {
			span, works = g.repair(g.nextRepair())
		}
		e.at, e.works = max(e.from.Add(span), w.now+1), works
		g.events.push(e)
	}
	for m := range g.machines {
		if g.of.Whole && w.machine(g, m)&machineDown != 0 {
			pool := &w.pools[g.first+m]
			pool.capacity = 0
			pool.fit()
		}
	}
}

// startImagined draws the next failures of the machines of a group that are up.
func (w *World) startImagined(g *failing) {
	switch {
	case g.of.clocks():
		for m := range g.machines {
			if w.machine(g, m)&machineDown == 0 {
				w.wind(g, m)
			}
		}
	case g.of.PerHour > 0:
		g.good = g.nextGood(w.now)
		g.bad = g.nextBad(w.now)
	}
}
