package sim

import "math"

// bookJob books the activities of job j until now.
func (w *World) bookJob(j int) {
	if s := &w.jobs[j]; s.booked != w.now {
		s.book(w.now)
	}
}

func (w *World) fromJob(j int) {
	s := &w.jobs[j]
	w.changed()
	w.bookJob(j)
	s.settle(w.now)
	switch s.phase {
	case phaseUnsubmitted:
		s.phase, s.booked = phaseIdle, w.now
		w.stale = w.stale || w.plan.Jobs[j].Total() > 0 // wanted before there was a job
		w.trigger |= TriggerStart
		w.timers.Set(w.jobSlot(j), Never)
		return
	case phaseTraining:
		if s.base.progress >= s.goal || w.reaches(j, s.goal) {
			s.base.progress = s.goal
			w.finish(j, phaseDone)
			return
		}
		s.base.progress = max(s.base.progress, s.high) // the redone part ends here
	case phaseStalled:
		s.phase, s.resumedAt = phaseTraining, w.now
		if s.base.progress <= s.saved.progress {
			s.savedAt = w.now // nothing is to be saved
		}
	case phaseSaving:
		s.phase = phaseTraining
		w.saved(j)
		w.trigger |= TriggerJob
	}
	w.run(j)
}

// reaches reports whether job j is within rounding of progress x: its timer was
// set for that instant.
func (w *World) reaches(j int, x float64) bool {
	s := &w.jobs[j]
	return w.now.After((x-s.base.progress)/s.rate.Progress) <= w.now.plus(1) && x >= s.high
}

// run sets a job that is not paused on its way and its timer to what comes next.
func (w *World) run(j int) {
	s := &w.jobs[j]
	at := Never
	switch {
	case s.phase == phaseStalled || s.phase == phaseSaving:
		at = s.pauseEnd
	case s.rate.Progress > 0:
		s.phase = phaseTraining
		target := s.goal
		if s.base.progress < s.high {
			target = min(target, s.high)
		}
		at = w.now.After(max(target-s.base.progress, 0) / s.rate.Progress)
	default:
		s.phase = phaseIdle
	}
	w.timers.Set(w.jobSlot(j), at)
}

// layOut lays every job out on the instances that are ready now.
func (w *World) layOut() {
	for j := range w.jobs {
		if s := &w.jobs[j]; s.active() && !s.laidOut && w.workersChanged(j) {
			w.relayout(j)
		}
	}
}

// workersChanged puts the workers of job j into w.next and reports whether they
// are other than those of the layout in force.
func (w *World) workersChanged(j int) bool {
	n := len(w.pools)
	s := &w.jobs[j]
	changed := !s.begun || s.lost > 0 || s.refill || s.pipelines != s.layout.Pipelines || s.stages != s.layout.Stages || s.servers != s.layout.Servers
	held, next, now := w.held[j*n:(j+1)*n], w.next[:n], s.layout.Workers[:n]
	differ := int32(0) // added up, not branched on
	for p := range held {
		h := &held[p]
		next[p] = h.ready + h.noticedReady - h.drained
		differ |= next[p] ^ now[p]
	}
	return changed || differ != 0
}

// relayout changes the layout of job j to the workers in w.next.
func (w *World) relayout(j int) {
	s := &w.jobs[j]
	model := w.cfg.Jobs[j].Model
	w.bookJob(j)
	s.settle(w.now)
	to := &w.to
	to.Workers, to.Pipelines, to.Stages, to.Servers, to.Holes = w.next, s.pipelines, s.stages, s.servers, 0
	cost := Pause{}
	if s.begun && !w.plan.Jobs[j].Free {
		c := &w.change
		c.From, c.To, c.Lost, c.StateLost, c.ChiefLost = &s.layout, to, s.lost, s.stateLost, s.chiefLost
		c.LostPlaces, c.Grid, c.Refill, c.Restart = w.lostPlaces[j], s.placed, s.refill, w.plan.Jobs[j].Restart
		cost = model.Change(c)
	}
	if cost.Failover {
		w.to.Holes = int32(len(w.lostPlaces[j]))
	}
	s.rate = model.Rate(&w.to)
	if !(s.rate.Progress >= 0) || math.IsInf(s.rate.Progress, 0) {
		panic("sim: Model.Rate: progress is negative or not finite")
	}
	switch {
	case cost.Fatal:
		w.finish(j, phaseLost)
		return
	case s.rate.Progress == 0:
		w.dropSave(j) // what a change costs is paid when there is somebody to pay it
	default:
		if cost.DropStep {
			s.dropStep()
		}
		s.last = s.rate
		w.pause(j, cost)
		s.lost, s.stateLost, s.chiefLost, s.refill = 0, false, false, false
	}
	if s.chief == noChief {
		w.electChief(j)
	}
	s.laidOut, s.laidAt = true, w.now
	copy(s.layout.Workers, w.next)
	s.layout.Pipelines, s.layout.Stages, s.layout.Servers, s.layout.Holes = s.pipelines, s.stages, s.servers, w.to.Holes
	if s.stages > 0 && s.rate.Progress > 0 && !cost.Failover {
		w.place(j)
	}
	if !s.begun && s.rate.Progress > 0 {
		s.begun = true
		s.first = model.Begin(w.planned(j))
		s.base.progress, s.high, s.savedAt, s.resumedAt = s.first, s.first, w.now, w.now
		s.saved = s.base
	}
	w.run(j)
}

// dropSave gives a save under way up, which the policy is told.
func (w *World) dropSave(j int) {
	if s := &w.jobs[j]; s.phase == phaseSaving {
		s.phase = phaseTraining
		w.trigger |= TriggerJob
	}
}

// pause stops job j for what a change costs. A save under way survives a change
// that costs nothing.
func (w *World) pause(j int, p Pause) {
	s := &w.jobs[j]
	if p.Stall > 0 || p.Rollback {
		w.dropSave(j)
	}
	if p.Rollback {
		s.secure(w.now)
		if s.saved.progress < s.base.progress {
			s.fallBack(s.saved)
		}
		s.pendingAt, s.savedAt = Never, w.now // nothing is to be saved
	}
	if p.Stall <= 0 {
		return
	}
	end := w.now.Add(p.Stall)
	if s.phase == phaseStalled && s.pauseEnd >= end {
		return
	}
	s.phase, s.as, s.pauseEnd = phaseStalled, p.As, end
}

// planned returns the layout that the policy means to train on: where training
// starts does not depend on who happens to boot first. If that is fewer than it
// asked for, those who are there come first.
func (w *World) planned(j int) *Layout {
	n, left := len(w.pools), int32(math.MaxInt32)
	if most := w.plan.Jobs[j].Workers; most > 0 {
		left = int32(most)
	}
	for p := range w.want {
		w.want[p] = min(w.next[p], left)
		left -= w.want[p]
	}
	for p := range w.want {
		more := min(max(w.held[j*n+p].want-w.next[p], 0), left)
		w.want[p] += more
		left -= more
	}
	s := &w.jobs[j]
	w.to = Layout{Workers: w.want, Pipelines: s.pipelines, Stages: s.stages, Servers: s.servers}
	return &w.to
}

// save starts the checkpoint that the plan asks for, if job j trains and its last
// one is safe.
func (w *World) save(j int) {
	w.plan.Jobs[j].Save = false
	s := &w.jobs[j]
	if s.phase != phaseTraining || w.persisting(j) {
		return
	}
	w.touch()
	w.bookJob(j)
	s.settle(w.now)
	span := w.cfg.Jobs[j].Model.SaveTime(&s.layout)
	if span <= 0 { // training goes on
		w.saved(j)
		return
	}
	s.phase, s.pauseEnd = phaseSaving, w.now.Add(span)
	w.run(j)
}

// saved books a save of what job j has done, which is safe at once or, with a
// Persister, later.
func (w *World) saved(j int) {
	s := &w.jobs[j]
	s.secure(w.now)
	s.pending, s.pendingAt, s.savedAt = s.base, w.now, w.now
	if m, ok := w.cfg.Jobs[j].Model.(Persister); ok {
		s.pendingAt = w.now.Add(m.PersistTime(&s.layout))
	}
	s.secure(w.now)
}

// secure makes a pending save count once it is safe.
func (s *jobState) secure(now Time) {
	if s.pendingAt <= now {
		s.saved, s.pendingAt = s.pending, Never
	}
}

// persisting reports whether the last save of job j is not safe yet.
func (w *World) persisting(j int) bool {
	s := &w.jobs[j]
	s.secure(w.now)
	return s.pendingAt != Never
}

// finish ends job j as done or lost and gives everything back.
func (w *World) finish(j int, as phase) {
	s := &w.jobs[j]
	s.phase, s.finish = as, w.now
	for p := range w.pools {
		w.held[j*len(w.pools)+p].want, w.plans[j*len(w.pools)+p] = 0, 0
	}
	s.want = 0
	for i := range w.inst[:w.live] {
		if x := &w.inst[i]; x.state != instanceUnused && int(x.job) == j {
			w.release(int32(i))
		}
	}
	for p := range w.pools {
		w.recount(j, p)
	}
	clear(w.plan.Jobs[j].Hold)
	w.chargeServices(j)
	w.active--
	w.trigger |= TriggerJob
	w.timers.Set(w.jobSlot(j), Never)
}
