package sim

import (
	"slices"
	"time"
)

// hostModel is the model of a job that holds hosts.
type hostModel struct{}

func (hostModel) Rate(*Layout) Rate                               { return Rate{} }
func (hostModel) Begin(*Layout) float64                           { return 0 }
func (hostModel) Goal(float64) float64                            { return 1 }
func (hostModel) Loss(float64) float64                            { return 0 }
func (hostModel) Change(*Change) Pause                            { return Pause{} }
func (hostModel) SaveTime(*Layout) (stall, persist time.Duration) { return 0, 0 }
func (hostModel) Gang() int                                       { return 1 }
func (hostModel) Work() float64                                   { return 1 }
func (hostModel) Weight() float64                                 { return 1 }

// withHosts returns the jobs of a world of shared hosts.
func (x *colocation) withHosts(jobs []Job) []Job {
	x.specsWithHosts = append(append(x.specsWithHosts[:0], jobs...), Job{Name: "hosts", Model: hostModel{}})
	return x.specsWithHosts
}

// reset makes all tasks wait.
func (x *colocation) reset(t *training, packs bool) {
	x.hosts, x.dues, x.emptied, x.placements, x.hostOwner = x.hosts[:0], x.dues[:0], false, x.placements[:0], -1
	if !packs {
		return
	}
	x.hostOwner = len(t.jobs) - 1
	t.jobs[x.hostOwner].ownsHosts = true
	x.placements = extend(x.placements, x.hostOwner)
	for j := range x.placements {
		x.admit(t, j)
	}
}

// admit makes all tasks of a job wait, if there are hosts for them.
func (x *colocation) admit(jobs *training, j int) {
	if x.hostOwner < 0 {
		return
	}
	jobs.jobs[j].byTasks = true
	t, m := &x.placements[j], jobs.specs[j].Model.(TaskModel)
	n := m.Gang()
	*t = placement{model: m, next: Never, to: resize(t.to, n), on: resize(t.on, n), up: resize(t.up, n), since: resize(t.since, n)}
	for k := range n {
		t.to[k], t.on[k], t.up[k], t.since[k] = Nowhere, Nowhere, Never, Never
	}
}

// isLeaving reports whether tasks of a job that is over have room still.
func (x *colocation) isLeaving(j int) bool { return x.hostOwner >= 0 && x.placements[j].leaving > 0 }

// copyFrom makes x the packing of a fork of src.
func (x *colocation) copyFrom(src *colocation) {
	old := *x
	*x = *src
	x.hosts = extend(old.hosts[:0], len(src.hosts))
	for k := range src.hosts {
		h, o := src.hosts[k], x.hosts[k]
		h.on, h.coming, h.images = append(o.on[:0], h.on...), append(o.coming[:0], h.coming...), append(o.images[:0], h.images...)
		x.hosts[k] = h
	}
	x.placements = extend(old.placements[:0], len(src.placements))
	for j := range src.placements {
		t, o := src.placements[j], x.placements[j]
		t.to, t.on, t.up, t.since = append(o.to[:0], t.to...), append(o.on[:0], t.on...), append(o.up[:0], t.up...), append(o.since[:0], t.since...)
		x.placements[j] = t
	}
	x.dues = append(old.dues[:0], src.dues...)
	x.specsWithHosts, x.paying = append(old.specsWithHosts[:0], src.specsWithHosts...), old.paying
}

// schedule adds an event of the host owner.
func (c *colocation) schedule(w *World, x dueEvent) {
	k, _ := slices.BinarySearchFunc(c.dues, x.at, func(d dueEvent, at Time) int {
		if d.at <= at {
			return -1
		}
		return 1
	})
	c.dues = slices.Insert(c.dues, k, x)
	w.timers.Set(w.jobSlot(c.hostOwner), c.dues[0].at)
}

// onDue does what the host owner's timer was set for.
func (c *colocation) onDue(w *World) {
	w.changed()
	for len(c.dues) > 0 && c.dues[0].at <= w.now {
		d := c.dues[0]
		c.dues = slices.Delete(c.dues, 0, 1)
		h := c.hostOf(d.host)
		switch {
		case h == nil: // the cloud took it
		case d.what == returning:
			w.release(w, h.inst)
		default:
			h.on = slices.DeleteFunc(h.on, func(g taskID) bool { return g.job == d.job && c.leftOver(w, g) })
			c.emptied = c.emptied || h.ending
			c.markDirtyOn(w, h)
		}
	}
	c.setDueTimer(w)
	w.supply = true
}

// setDueTimer sets the timer of the host owner to the first of what is due.
func (c *colocation) setDueTimer(w *World) {
	if c.hostOwner < 0 {
		return
	}
	at := Never
	if len(c.dues) > 0 {
		at = c.dues[0].at
	}
	w.timers.Set(w.jobSlot(c.hostOwner), at)
}

// nextLaunch returns the next instant at which a launch of a task of job j is complete, Never if none is under way.
func (c *colocation) nextLaunch(w *World, j int) Time {
	next := Never
	for _, up := range c.placements[j].up {
		if up > w.now {
			next = min(next, up)
		}
	}
	return next
}

// retrain has the tasks of job j train by its model, which was another until now.
func (c *colocation) retrain(w *World, j int) {
	t := &c.placements[j]
	t.model = w.specs[j].Model.(TaskModel)
	if t.stage == launched || t.stage == stopping {
		c.speed(w, j)
	}
}

// leftOver reports whether the job of a task that has room still is done, and counts it as gone then.
func (c *colocation) leftOver(w *World, g taskID) bool {
	if c.isOver(w, g) {
		c.placements[g.job].leaving--
		return true
	}
	return false
}

// markDirtyOn has the jobs of a host looked at: there may be headroom for tasks, or other co-tenants.
func (c *colocation) markDirtyOn(w *World, h *host) {
	for _, list := range [2][]taskID{h.on, h.coming} {
		for _, g := range list {
			if !c.isOver(w, g) {
				w.addDirty(int(g.job))
			}
		}
	}
	w.supply, w.dirty = true, true
}

// countTasksOn brings the numbers of tasks of the jobs of a host up to date that start and are ready.
func (c *colocation) countTasksOn(w *World, h *host) {
	for _, list := range [2][]taskID{h.on, h.coming} {
		for _, g := range list {
			if !c.isOver(w, g) {
				c.countTasks(w, int(g.job))
			}
		}
	}
}

// countTasks brings the numbers of a job's tasks up to date: those on hosts, and those whose hosts start.
func (c *colocation) countTasks(w *World, j int) {
	w.accountJob(j, w.now)
	s, t := &w.jobs[j], &c.placements[j]
	s.ready, s.starting, s.want = 0, 0, 0
	for k := range t.to {
		if t.to[k] != Nowhere {
			s.want++
		}
		if t.on[k] != Nowhere {
			s.ready++
		} else if h := c.hostOf(t.to[k]); h != nil && h.inst != noInstance {
			if h.ready {
				s.ready++
			} else {
				s.starting++
			}
		}
	}
}

// assignTasks takes over where the plan wants the tasks of job j.
func (c *colocation) assignTasks(w *World, j int) {
	t, tasks := &c.placements[j], w.plan.Jobs[j].tasks
	moved := false
	for k := range t.to {
		to := int32(Nowhere)
		if k < len(tasks) {
			to = tasks[k]
		}
		h := c.hostOf(to)
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
		c.setComing(w, taskID{int32(j), int32(k)}, t.to[k], false)
		t.to[k] = to
		if t.on[k] != to || t.stage == stopping || t.stage == leaving {
			c.setComing(w, taskID{int32(j), int32(k)}, to, true)
		}
	}
	if moved {
		c.moveOut(w, j)
	}
	c.countTasks(w, j)
	w.addDirty(j)
	w.supply = true
}

// setComing adds a task to those that are to come to a host, or takes it out.
func (c *colocation) setComing(w *World, g taskID, id int32, comes bool) {
	h := c.hostOf(id)
	if h == nil {
		return
	}
	if c.payHost(w, h); comes {
		h.coming = append(h.coming, g)
	} else {
		h.coming = slices.DeleteFunc(h.coming, func(x taskID) bool { return x == g })
	}
}

// moveOut begins to take a job off its hosts: all its tasks, as it is launched as a whole.
func (c *colocation) moveOut(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	switch t.stage {
	case launched:
		for k, on := range t.on { // those that stay are launched again
			if t.to[k] == on {
				c.setComing(w, taskID{int32(j), int32(k)}, on, true)
			}
		}
		t.stage, t.next = stopping, w.now.Add(t.model.Times().Stop)
		w.accountJob(j, w.now)
		s.settle(w.now)
		w.run(w, j)
	case away: // what is launched elsewhere is dropped
		for k, on := range t.on {
			if on != Nowhere && on != t.to[k] {
				c.vacateTask(w, j, k)
			}
		}
	}
}

// vacateTask takes a task off its host.
func (c *colocation) vacateTask(w *World, j, k int) {
	t := &c.placements[j]
	if h := c.hostOf(t.on[k]); h != nil {
		c.recordTask(w, j, k, InstanceReleased)
		c.payHost(w, h)
		h.on = slices.DeleteFunc(h.on, func(g taskID) bool { return g == taskID{int32(j), int32(k)} })
		c.emptied = c.emptied || h.ending
		c.markDirtyOn(w, h)
	}
	t.on[k], t.up[k] = Nowhere, Never
}

// recordTask tells a recorder how the time of a task on its host ends, once.
func (c *colocation) recordTask(w *World, j, k int, end InstanceEvent) {
	t := &c.placements[j]
	if h := c.hostOf(t.on[k]); h != nil && w.instanceRecorder != nil && t.since[k] != Never {
		w.instanceRecorder.Task(t.since[k], w.now, w.jobs[j].id, k, int(h.pool), int(w.inst[h.inst].ordinal), end)
		t.since[k] = Never
	}
}

// moveAway takes all tasks of a job off their hosts, where its training ends for now.
func (c *colocation) moveAway(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	for k := range t.on {
		c.vacateTask(w, j, k)
	}
	t.stage, t.next = away, Never
	s.rate, s.phase = Rate{}, phaseIdle
	c.countTasks(w, j)
	w.addDirty(j)
}

// evict is called when the cloud takes a host on which job j has tasks. All of them leave; those of other
// hosts are launched there again when all have a host.
func (c *colocation) evict(w *World, j int, id int32) {
	s, t := &w.jobs[j], &c.placements[j]
	w.accountJob(j, w.now)
	s.settle(w.now)
	w.dropSave(w, j)
	if t.stage != away {
		s.countLoss(w.now)
	}
	t.began = false
	for k := range t.on {
		c.recordTask(w, j, k, InstanceRevoked)
	}
	if g := &w.gangs[j]; g.on {
		g.on, g.since = false, w.now
		g.preemptions++
	}
	for k, on := range t.on {
		switch {
		case t.to[k] == id:
			c.setComing(w, taskID{int32(j), int32(k)}, id, false)
			t.to[k] = Nowhere
			w.plan.Jobs[j].tasks[k] = Nowhere
		case on != Nowhere && on == t.to[k] && t.stage != stopping && t.stage != leaving:
			c.setComing(w, taskID{int32(j), int32(k)}, on, true)
		}
	}
	c.moveAway(w, j)
	w.run(w, j)
}

// unassign takes a task out of those that are to come to its host, which ends.
func (c *colocation) unassign(w *World, g taskID) {
	t := &c.placements[g.job]
	c.setComing(w, g, t.to[g.task], false)
	t.to[g.task] = Nowhere
	w.plan.Jobs[g.job].tasks[g.task] = Nowhere
	c.countTasks(w, int(g.job))
}

// layOutTasks launches the tasks that can be, in the order of the jobs, gives back hosts that are empty, and sets
// the speeds of the jobs that have other co-tenants.
func (c *colocation) layOutTasks(w *World) {
	for more := true; more; more = c.emptied {
		if c.emptied {
			c.endEmpty(w)
		}
		w.sortDirty()
		for k := 0; k < len(w.dirtyJobs); k++ {
			if j := int(w.dirtyJobs[k]); j != c.hostOwner && w.jobs[j].active() && c.placements[j].stage == away {
				c.launch(w, j)
			}
		}
		for k := 0; k < len(w.dirtyJobs); k++ {
			j := int(w.dirtyJobs[k])
			w.jobs[j].dirty = false
			if j != c.hostOwner && w.jobs[j].active() {
				c.retune(w, j)
			}
		}
		w.dirtyJobs = w.dirtyJobs[:0]
	}
}

// launch begins to launch the tasks of job j whose hosts are ready and have room.
func (c *colocation) launch(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	times, all := t.model.Times(), true
	for k := range t.to {
		if t.on[k] != Nowhere {
			continue
		}
		h := c.hostOf(t.to[k])
		if h == nil || !h.ready || h.ending || !c.fits(w, h, t) {
			all = false
			continue
		}
		g := taskID{int32(j), int32(k)}
		c.setComing(w, g, h.id, false)
		h.on = append(h.on, g)
		t.on[k], t.since[k], t.began = h.id, w.now, true
		span := times.Launch
		if !slices.Contains(h.images, int32(times.Image)) {
			span += times.Build
		}
		t.up[k] = w.now.Add(span)
	}
	c.countTasks(w, j)
	if all && s.phase == phaseIdle {
		w.accountJob(j, w.now)
		s.settle(w.now)
		s.rate.Working = int32(len(t.on))
		s.phase, s.stalledAs, s.pauseEnd = phaseStalled, Restoring, Never
	}
	c.startIfLaunched(w, j)
}

// fits reports whether one more task of a job fits on a host.
func (c *colocation) fits(w *World, h *host, t *placement) bool {
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
		x, _ := c.placements[g.job].model.Demand(int(h.pool))
		used = used.Plus(x)
	}
	return p.Full.Fits(used, d)
}

// applyHosts gives back and asks for hosts, as the plan says.
func (c *colocation) applyHosts(w *World) {
	p := &w.plan
	for _, id := range p.returns {
		if h := c.hostOf(id); h != nil && !h.ending {
			h.ending = true
			c.emptied = true
		}
	}
	for _, pool := range p.rents {
		id := p.nextHost
		p.nextHost++
		if w.pools[pool].asked >= int32(w.market.pools[pool].Quota) {
			w.totals.QuotaRefusals++
			continue
		}
		c.hosts = extend(c.hosts, len(c.hosts)+1)
		h := &c.hosts[len(c.hosts)-1]
		*h = host{id: id, pool: pool, inst: noInstance, asked: w.now, on: h.on[:0], coming: h.coming[:0], images: h.images[:0]}
		w.pools[pool].asked++
		s := &w.jobs[c.hostOwner]
		k := s.openColumn(int(pool), w.now)
		w.request(w, c.hostOwner, k, s.held[k].want+1)
	}
	w.supply = w.supply || c.emptied
	p.rents, p.returns = p.rents[:0], p.returns[:0]
}

// endEmpty gives back the hosts that were to end and are empty.
func (c *colocation) endEmpty(w *World) {
	c.emptied, w.supply, w.dirty = false, true, true
	for k := 0; k < len(c.hosts); k++ {
		h := &c.hosts[k]
		if !h.ending || h.returned || len(h.on) > 0 {
			continue
		}
		for len(h.coming) > 0 {
			c.unassign(w, h.coming[0])
		}
		switch wait := w.cfg.Sharing.Return; {
		case h.inst == noInstance:
			pool, id := h.pool, h.id
			c.wantLess(w, pool)
			c.removeHost(id)
			owner := &w.jobs[c.hostOwner]
			w.recount(w, c.hostOwner, owner, &w.pools[pool], owner.holding(int(pool)))
			k--
		case wait > 0 && !h.noticed:
			h.returned = true
			c.wantLess(w, h.pool)
			w.pools[h.pool].asked++ // it takes room within the quota
			c.schedule(w, dueEvent{at: w.now.Add(wait), host: h.id, what: returning})
		default:
			w.release(w, h.inst)
			k--
		}
	}
}
