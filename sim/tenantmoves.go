package sim

import "slices"

// follow takes over where the plan wants the tasks of job j.
func (w *World) follow(j int) {
	t, tasks := &w.tenants[j], w.plan.Jobs[j].tasks
	moved := false
	for k := range t.to {
		to := int32(Nowhere)
		if k < len(tasks) {
			to = tasks[k]
		}
		h := w.hostOf(to)
		if h == nil || h.ending || h.noticed {
			to = Nowhere
			if k < len(tasks) {
				tasks[k] = Nowhere
			}
		}
		if to == t.to[k] {
			continue
		}
		moved = true
		w.expect(guest{int32(j), int32(k)}, t.to[k], false)
		t.to[k] = to
		if t.on[k] != to || t.stage == stopping || t.stage == leaving {
			w.expect(guest{int32(j), int32(k)}, to, true)
		}
	}
	if moved {
		w.moveOut(j)
	}
	w.countTasks(j)
	w.addDirty(j)
	w.supply = true
}

// expect adds a task to those that are to come to a host, or takes it out.
func (w *World) expect(g guest, id int32, comes bool) {
	h := w.hostOf(id)
	if h == nil {
		return
	}
	if w.payHost(h); comes {
		h.coming = append(h.coming, g)
	} else {
		h.coming = slices.DeleteFunc(h.coming, func(x guest) bool { return x == g })
	}
}

// moveOut begins to take a job off its hosts: all its tasks, as it is launched as a whole.
func (w *World) moveOut(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	switch t.stage {
	case launched:
		for k, on := range t.on { // those that stay are launched again
			if t.to[k] == on {
				w.expect(guest{int32(j), int32(k)}, on, true)
			}
		}
		t.stage, t.next = stopping, w.now.Add(t.model.Times().Stop)
		w.accountJob(j, w.now)
		s.settle(w.now)
		w.run(j)
	case away: // what is launched elsewhere is dropped
		for k, on := range t.on {
			if on != Nowhere && on != t.to[k] {
				w.vacateTask(j, k)
			}
		}
	}
}

// vacateTask takes a task off its host.
func (w *World) vacateTask(j, k int) {
	t := &w.tenants[j]
	if h := w.hostOf(t.on[k]); h != nil {
		w.tellTask(j, k, InstanceReleased)
		w.payHost(h)
		h.on = slices.DeleteFunc(h.on, func(g guest) bool { return g == guest{int32(j), int32(k)} })
		w.emptied = w.emptied || h.ending
		w.stir(h)
	}
	t.on[k], t.up[k] = Nowhere, Never
}

// tellTask tells a recorder how the time of a task on its host ends, once.
func (w *World) tellTask(j, k int, end InstanceEvent) {
	t := &w.tenants[j]
	if h := w.hostOf(t.on[k]); h != nil && w.taskRecorder != nil && t.since[k] != Never {
		w.taskRecorder.Task(t.since[k], w.now, w.jobs[j].id, k, int(h.pool), int(w.inst[h.inst].ordinal), end)
		t.since[k] = Never
	}
}

// moveAway takes all tasks of a job off their hosts, where its training ends for now.
func (w *World) moveAway(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	for k := range t.on {
		w.vacateTask(j, k)
	}
	t.stage, t.next = away, Never
	s.rate, s.phase = Rate{}, phaseIdle
	w.countTasks(j)
	w.addDirty(j)
}

// evict is told that the cloud takes a host on which job j has tasks. All of them leave; those of other
// hosts are launched there again when all have a host.
func (w *World) evict(j int, id int32) {
	s, t := &w.jobs[j], &w.tenants[j]
	w.accountJob(j, w.now)
	s.settle(w.now)
	w.dropSave(j)
	if t.stage != away {
		s.countLoss(w.now)
	}
	t.began = false
	for k := range t.on {
		w.tellTask(j, k, InstanceRevoked)
	}
	if g := &w.gangs[j]; g.on {
		g.on, g.since = false, w.now
		g.preemptions++
	}
	for k, on := range t.on {
		switch {
		case t.to[k] == id:
			w.expect(guest{int32(j), int32(k)}, id, false)
			t.to[k] = Nowhere
			w.plan.Jobs[j].tasks[k] = Nowhere
		case on != Nowhere && on == t.to[k] && t.stage != stopping && t.stage != leaving:
			w.expect(guest{int32(j), int32(k)}, on, true)
		}
	}
	w.moveAway(j)
	w.run(j)
}

// unassign takes a task out of those that are to come to its host, which ends.
func (w *World) unassign(g guest) {
	t := &w.tenants[g.job]
	w.expect(g, t.to[g.task], false)
	t.to[g.task] = Nowhere
	w.plan.Jobs[g.job].tasks[g.task] = Nowhere
	w.countTasks(int(g.job))
}

// layOutTenants launches the tasks that can be, in the order of the jobs, gives back hosts that are empty, and sets
// the speeds of the jobs that have other neighbours.
func (w *World) layOutTenants() {
	for more := true; more; more = w.emptied {
		if w.emptied {
			w.endEmpty()
		}
		w.sortDirty()
		for k := 0; k < len(w.dirtyJobs); k++ {
			if j := int(w.dirtyJobs[k]); j != w.landlord && w.jobs[j].active() && w.tenants[j].stage == away {
				w.launch(j)
			}
		}
		for k := 0; k < len(w.dirtyJobs); k++ {
			j := int(w.dirtyJobs[k])
			w.jobs[j].dirty = false
			if j != w.landlord && w.jobs[j].active() {
				w.tune(j)
			}
		}
		w.dirtyJobs = w.dirtyJobs[:0]
	}
}

// launch begins to launch the tasks of job j whose hosts are ready and have room.
func (w *World) launch(j int) {
	s, t := &w.jobs[j], &w.tenants[j]
	times, all := t.model.Times(), true
	for k := range t.to {
		if t.on[k] != Nowhere {
			continue
		}
		h := w.hostOf(t.to[k])
		if h == nil || !h.ready || h.ending || !w.hasRoom(h, t) {
			all = false
			continue
		}
		g := guest{int32(j), int32(k)}
		w.expect(g, h.id, false)
		h.on = append(h.on, g)
		t.on[k], t.since[k], t.began = h.id, w.now, true
		span := times.Launch
		if !slices.Contains(h.images, int32(times.Image)) {
			span += times.Build
		}
		t.up[k] = w.now.Add(span)
	}
	w.countTasks(j)
	if all && s.phase == phaseIdle {
		w.accountJob(j, w.now)
		s.settle(w.now)
		s.rate.Working = int32(len(t.on))
		s.phase, s.stalledAs, s.pauseEnd = phaseStalled, Restoring, Never
	}
	w.awake(j)
}

// hasRoom reports whether one more task of a job fits on a host.
func (w *World) hasRoom(h *host, t *tenant) bool {
	p := &w.market.pools[h.pool]
	d, runs := t.model.Demand(int(h.pool))
	if !runs {
		return false
	}
	if p.Full == (Resources{}) {
		return len(h.on) == 0
	}
	var used Resources
	for _, g := range h.on {
		x, _ := w.tenants[g.job].model.Demand(int(h.pool))
		used = used.Plus(x)
	}
	return p.Full.Fits(used, d)
}
