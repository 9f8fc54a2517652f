package sim

import "slices"

// startIfLaunched lets a job whose launch is complete start, or sets its timer to the next launch that is.
func (c *colocation) startIfLaunched(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	next, last := Never, Time(0)
	for k, up := range t.up {
		last = max(last, up)
		if up > w.now {
			next = min(next, up)
		} else if h := c.hostOf(t.on[k]); up != longAgo {
			t.up[k] = longAgo
			image := int32(t.model.Times().Image)
			if !slices.Contains(h.images, image) {
				h.images = append(h.images, image)
			}
			c.markDirtyOn(w, h)
		}
	}
	if last > w.now {
		w.timers.Set(w.jobSlot(j), next)
		return
	}
	c.startTraining(w, j)
	s.laidOut = true
}

// startTraining starts a job all of whose tasks are launched.
func (c *colocation) startTraining(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	w.accountJob(j, w.now)
	s.settle(w.now)
	t.stage = launched
	c.columns(w, j)
	c.speed(w, j)
	cost := Pause{}
	if s.begun {
		cost = t.model.Change(c.relaunch(w, j))
		cost.check()
		if cost.DropStep {
			s.dropStep(cost.DropShare)
		}
	} else {
		s.begun, s.first = true, t.model.Begin(&s.layout)
		s.base.progress, s.high, s.savedAt, s.resumedAt = s.first, s.first, w.now, w.now
		s.stepsFrom = s.first
		s.saved = s.base
	}
	s.last, s.lost, s.laidAt = s.rate, 0, w.now
	s.phase = phaseIdle
	if cost.Stall += t.model.Times().Init; cost.Stall > 0 && cost.As == Useful {
		cost.As = Restoring
	}
	w.pause(w, j, cost)
	w.noteSaveTime(j)
	where := uint64(1)
	for _, on := range t.on {
		where += mix(uint64(uint32(on)) + 1)
	}
	if what := w.gangs[j].goOn(where, w.now, false); what != JobSubmitted {
		w.tell(j, what)
	}
	w.run(w, j)
}

// relaunch describes the change of a job that left its hosts, and is launched on its layout.
func (c *colocation) relaunch(w *World, j int) *Change {
	s := &w.jobs[j]
	w.change = Change{From: &s.layout, To: &s.layout, Lost: s.lost, Worked: s.last.Working, Vacated: true}
	return &w.change
}

// columns sets the layout of job j to its tasks by pool.
func (c *colocation) columns(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	s.closeAll()
	for _, on := range t.on {
		s.layout.Workers[s.openColumn(int(c.hostOf(on).pool), w.now)]++
	}
}

// speed sets the rate of job j on its layout, beside its co-tenants.
func (c *colocation) speed(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	t.keeps = c.keptShare(w, j)
	s.rate = t.model.Rate(&s.layout)
	t.alone = s.rate.Progress
	s.rate.Progress *= t.keeps
	s.rate.Iterations *= t.keeps
	s.rate.Samples *= t.keeps
	s.rate.Step *= t.keeps
	s.last = s.rate
}

// keptShare is the part of its speed that job j keeps: that of its slowest task.
func (c *colocation) keptShare(w *World, j int) float64 {
	smallest, keeps := 1.0, w.cfg.Sharing.Keeps
	if keeps == nil {
		return smallest
	}
	for k, on := range c.placements[j].on {
		h, x := c.hostOf(on), 1.0
		for _, g := range h.on {
			if c.isOver(w, g) || g == (taskID{int32(j), int32(k)}) {
				continue
			}
			if o := &c.placements[g.job]; o.up[g.task] <= w.now && o.stage != leaving {
				x *= keeps(&w.market.pools[h.pool], &w.specs[j], &w.specs[g.job])
			}
		}
		smallest = min(smallest, x)
	}
	if !(smallest >= 0 && smallest <= 1) {
		panic("sim: Sharing.Keeps: expected at least 0, at most 1")
	}
	return smallest
}

// retune sets the speed of a job that runs, if its co-tenants changed it.
func (c *colocation) retune(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	if t.stage != launched && t.stage != stopping {
		return
	}
	if now := c.keptShare(w, j); now != t.keeps {
		w.accountJob(j, w.now)
		s.settle(w.now)
		c.speed(w, j)
		w.run(w, j)
	}
}

// fromTasks handles the timer of a job of tasks.
func (c *colocation) fromTasks(w *World, j int) {
	if j == c.hostOwner {
		c.onDue(w)
		return
	}
	s, t := &w.jobs[j], &c.placements[j]
	w.changed()
	w.accountJob(j, w.now)
	s.settle(w.now)
	w.supply = true
	switch {
	case s.phase == phaseUnsubmitted:
		w.submit(w, j)
	case t.stage == away:
		c.startIfLaunched(w, j)
	case s.phase == phaseTraining && (s.base.progress >= s.goal || s.reaches(s.goal, w.now)):
		s.base.progress = s.goal
		w.finish(w, j, phaseDone)
	case t.stage == stopping && t.next <= w.now:
		c.depart(w, j)
	case t.stage == leaving:
		c.left(w, j)
	default:
		c.goOnTraining(w, j)
	}
}

// goOnTraining lets a job train whose pause is over, or which has done again what was lost.
func (c *colocation) goOnTraining(w *World, j int) {
	s := &w.jobs[j]
	switch s.phase {
	case phaseTraining:
		s.base.progress = max(s.base.progress, s.high)
	case phaseStalled:
		s.phase, s.resumedAt = phaseTraining, w.now
		s.secure(w.now)
		if s.base.progress <= s.saved.progress {
			s.savedAt = w.now
		}
	case phaseSaving:
		s.phase = phaseTraining
		w.saved(j, w.now, s.persist)
		w.trigger |= TriggerJob
	}
	w.run(w, j)
}

// depart ends the training of a job that is to leave, and has it saved.
func (c *colocation) depart(w *World, j int) {
	s, t := &w.jobs[j], &c.placements[j]
	w.dropSave(w, j)
	t.stage, t.next = leaving, w.now.Add(t.model.Times().Save)
	s.phase, s.stalledAs, s.pauseEnd = phaseStalled, Checkpointing, Never
	for _, on := range t.on {
		c.markDirtyOn(w, c.hostOf(on))
	}
	if g := &w.gangs[j]; g.on {
		g.on, g.since = false, w.now
		if s.want == 0 {
			g.suspensions++
			w.totals.Suspensions++
			w.tell(j, JobStopped)
		}
	}
	if t.next <= w.now {
		c.left(w, j)
		return
	}
	w.timers.Set(w.jobSlot(j), t.next)
}

// left takes a job that has saved off its hosts.
func (c *colocation) left(w *World, j int) {
	_, persist := w.specs[j].Model.SaveTime(&w.jobs[j].layout)
	w.saved(j, w.now, persist)
	c.moveAway(w, j)
	w.timers.Set(w.jobSlot(j), Never)
}

// leaveHosts takes the tasks of a job that is done off their hosts, where they take room for a moment.
func (c *colocation) leaveHosts(w *World, j int) {
	t := &c.placements[j]
	for k := range t.to {
		c.setComing(w, taskID{int32(j), int32(k)}, t.to[k], false)
		h := c.hostOf(t.on[k])
		if h == nil {
			continue
		}
		c.recordTask(w, j, k, InstanceReleased)
		c.payHost(w, h)
		if wait := w.cfg.Sharing.Leave; wait > 0 {
			t.leaving++
			c.schedule(w, dueEvent{at: w.now.Add(wait), host: h.id, what: vacating, job: int32(j)})
			c.markDirtyOn(w, h)
		} else {
			c.vacateTask(w, j, k)
		}
		t.on[k], t.to[k] = Nowhere, Nowhere
	}
}

// closeHosts shares out and books what the hosts have cost when the run ends.
func (c *colocation) closeHosts(w *World) {
	if c.hostOwner < 0 {
		return
	}
	for _, j := range w.active() {
		for k := range c.placements[j].on {
			c.recordTask(w, j, k, InstanceReady)
		}
	}
	for k := range c.hosts {
		c.payHost(w, &c.hosts[k])
	}
	s := &w.jobs[c.hostOwner]
	for k := range s.held {
		s.held[k].pay(&w.pools[s.poolOf(k)], w.now)
		w.charge(w, c.hostOwner, k)
	}
}
