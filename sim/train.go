package sim

import (
	"cmp"
	"math"
	"slices"
)

// fromJob handles the timer of job j.
func (w *World) fromJob(j int) {
	s := &w.jobs[j]
	if s.byTasks || s.layer != nil {
		w.fromTenant(j)
		return
	}
	w.changed()
	w.accountJob(j, w.now)
	s.settle(w.now)
	switch s.phase {
	case phaseUnsubmitted:
		w.submit(j)
		return
	case phaseTraining:
		if s.base.progress >= s.goal || s.reaches(s.goal, w.now) {
			s.base.progress = s.goal
			if w.market.granting { // it was not over yet
				w.timers.Set(w.jobSlot(j), Never)
				s.rate.Progress = 0
				return
			}
			w.finish(j, phaseDone)
			return
		}
		s.base.progress = max(s.base.progress, s.high) // all that was lost is done again
	case phaseStalled:
		s.phase, s.resumedAt = phaseTraining, w.now
		if s.base.progress <= s.saved.progress {
			s.savedAt = w.now // there is nothing to save
		}
	case phaseSaving:
		s.phase = phaseTraining
		w.saved(j, w.now)
		w.trigger |= TriggerJob
	}
	w.run(j)
}

// submit makes job j active.
func (w *World) submit(j int) {
	s := &w.jobs[j]
	s.phase, s.accountedUntil = phaseIdle, w.now
	w.activate(j)
	w.trigger |= TriggerStart
	w.timers.Set(w.jobSlot(j), Never)
	w.plan.Jobs[j].active = true
	w.markDirty(j)
	w.tell(j, JobSubmitted)
}

// reaches reports whether a job is within rounding of progress x, the one for which
// its timer was set.
func (s *jobState) reaches(x float64, now Time) bool {
	return now.After((x-s.base.progress)/s.rate.Progress) <= now.plus(1) && x >= s.high
}

// run lets a job that is not paused train, and sets its timer to what comes next.
func (w *World) run(j int) {
	s := &w.jobs[j]
	at := Never
	switch {
	case s.phase == phaseStalled || s.phase == phaseSaving:
		at = s.pauseEnd
	case s.rate.Progress > 0:
		s.phase = phaseTraining
		at = s.until(w.now)
	default:
		s.phase = phaseIdle
	}
	if s.byTasks {
		at = min(at, w.tenants[j].next)
	}
	w.timers.Set(w.jobSlot(j), at)
}

// noise is what share of the progress of a run the rounding of its sums may amount to: 64 units in the last place.
const noise = 0x1p-46

// until returns when a job that trains since then will be at the goal, or where what was lost is done again: the first instant
// that is not before, but for the noise of progress. An exact end at a whole microsecond is that one.
func (s *jobState) until(since Time) Time {
	target := s.goal // comparisons, not min and max, which look for numbers that are none
	if s.base.progress < s.high && s.high < target {
		target = s.high
	}
	left := target - s.base.progress
	if left < 0 {
		left = 0
	}
	seconds := left / s.rate.Progress
	if whole := math.Round(seconds * 1e6); whole < exact && math.Abs(seconds*1e6-whole) <= noise*1e6*math.Abs(target)/s.rate.Progress {
		return since.plus(int64(whole))
	}
	return since.After(seconds)
}

// layOut lays the jobs out whose instances may be others than those of their layouts, in the order of their numbers.
func (w *World) layOut() {
	if w.hostPool() >= 0 {
		w.layOutTenants()
		return
	}
	if len(w.dirtyJobs) > 1 {
		w.sortDirty()
	}
	left := 0
	for n := 0; n < len(w.dirtyJobs); n++ { // a job that is lost gives back, and is dirty already
		j := int(w.dirtyJobs[n])
		s := &w.jobs[j]
		if s.active() && s.workersChanged() {
			w.relayout(j)
		}
		if s.layout.Pools != nil && s.active() && s.laidOut {
			w.closeEmpty(j)
		}
		if s.dirty = s.active() && !s.laidOut; s.dirty {
			w.dirtyJobs[left] = int32(j)
			left++
		}
	}
	w.dirtyJobs = w.dirtyJobs[:left]
}

// sortDirty puts the dirty jobs in the order of their numbers.
func (t *training) sortDirty() {
	slices.SortFunc(t.dirtyJobs, func(a, b int32) int { return cmp.Compare(t.jobs[a].id, t.jobs[b].id) })
}

// workersChanged reports whether the job needs a new layout.
func (s *jobState) workersChanged() bool {
	return s.differ != 0 || !s.begun || s.lost > 0 || s.refill ||
		s.pipelines != s.layout.Pipelines || s.stages != s.layout.Stages || s.servers != s.layout.Servers
}

// relayout changes the layout of job j to the workers in jobState.next.
func (w *World) relayout(j int) {
	s := &w.jobs[j]
	if w.stretch(j, s) {
		return
	}
	w.accountJob(j, w.now)
	s.settle(w.now)
	change, cost, trained := w.changeTo(j), Pause{}, s.rate.Progress > 0
	if s.begun && !w.costless(j) {
		cost = w.specs[j].Model.Change(change) // here: a Pause returned twice is copied twice
	}
	if cost.Failover {
		w.to.Holes = int32(len(w.lostPlaces[j]))
	}
	s.rate = w.specs[j].Model.Rate(&w.to)
	s.rate.Progress *= w.cfg.Pace()
	s.rate.check()
	switch {
	case cost.Fatal:
		w.finish(j, phaseLost)
		return
	case s.rate.Progress == 0:
		w.dropSave(j) // the change is paid for when training goes on, or the run ends (cut)
		if trained {
			w.stop(j)
		}
	default:
		if s.outgrows(w.to.Total()) {
			w.outgrow(j)
		}
		if cost.DropStep {
			s.dropStep()
		}
		s.trainOn()
		if w.cfg.Moves != nil {
			w.addMoves(j, &cost)
		}
		w.pause(j, cost)
	}
	if s.chief == noChief {
		s.chief = w.oldestReady(j)
	}
	s.laidOut, s.laidAt = true, w.now
	copy(s.layout.Workers, s.next)
	s.differ = 0
	s.layout.Pipelines, s.layout.Stages, s.layout.Servers, s.layout.Holes = s.pipelines, s.stages, s.servers, w.to.Holes
	w.noteSaveTime(j)
	switch trains := s.rate.Progress > 0 && !cost.Failover; {
	case trains && s.stages > 0:
		w.place(j)
	case trains && s.placed != Place{}:
		w.unplace(j)
	}
	if !s.begun && s.rate.Progress > 0 {
		w.begin(j)
	}
	if len(w.gangs) > 0 {
		what := w.gangs[j].note(s, w.now, w.change.Lost > 0)
		if what == JobStopped {
			w.totals.Suspensions++
		}
		if what != JobSubmitted {
			w.tell(j, what)
		}
	}
	w.run(j)
}

// trainOn notes that the job trains at its new rate.
func (s *jobState) trainOn() {
	from, to := &s.rate, &s.last // field by field: a copy waits for what was just written
	to.Progress, to.Iterations, to.Samples, to.Working, to.Redundant, to.Step = from.Progress, from.Iterations, from.Samples, from.Working, from.Redundant, from.Step
	s.lost, s.stateLost, s.chiefLost, s.refill = 0, false, false, false
	s.unserved, s.vacated, s.released = s.servers == 0, false, false
}

// check panics if the model's progress is none.
func (r *Rate) check() {
	if !(r.Progress >= 0) || math.IsInf(r.Progress, 0) {
		panic("sim: Model.Rate: progress is negative or not finite")
	}
}

// changeTo describes the change of job j's layout to w.to, on the workers in jobState.next.
func (w *World) changeTo(j int) *Change {
	s, to, c := &w.jobs[j], &w.to, &w.change
	to.Workers, to.Pipelines, to.Stages, to.Servers, to.Holes = s.next, s.pipelines, s.stages, s.servers, 0
	to.Pools = s.layout.Pools
	c.From, c.To, c.Lost, c.StateLost, c.ChiefLost = &s.layout, to, s.lost, s.stateLost, s.chiefLost
	c.Worked, c.Unserved, c.Vacated, c.Released = s.last.Working, s.unserved, s.vacated, s.released
	c.LostPlaces, c.Grid, c.Refill, c.Restart = w.lostPlaces[j], s.placed, s.refill, w.plan.Jobs[j].Restart
	return c
}

// costless reports whether the plan lets changes of job j cost nothing.
func (w *World) costless(j int) bool {
	if !w.plan.Jobs[j].Free {
		return false
	}
	if _, bound := w.cfg.Policy.(Oracle); !bound {
		panic("sim: JobPlan.Free: only a policy that is an Oracle may set it")
	}
	return true
}

// begin begins the training of job j.
func (w *World) begin(j int) {
	s, most := &w.jobs[j], w.plan.Jobs[j].Workers
	if w.to.Total() > most {
		most = 0 // it trains on more than it announced
	}
	s.begun, s.setUp = true, int32(most)
	s.first = w.specs[j].Model.Begin(w.planned(j, most))
	s.base.progress, s.high, s.savedAt, s.resumedAt = s.first, s.first, w.now, w.now
	s.saved = s.base
}

// outgrows reports whether n instances are more than the job was set up for.
func (s *jobState) outgrows(n int) bool { return s.begun && s.setUp > 0 && n > int(s.setUp) }

// outgrow takes back what job j gained by being set up for fewer instances than it now
// trains on, as if it had been set up for all that it asks for: to announce few and train
// on many is worth nothing, and one that comes before the others does not hide them.
func (w *World) outgrow(j int) {
	s, to := &w.jobs[j], w.to
	if ahead := s.first - w.specs[j].Model.Begin(w.planned(j, 0)); ahead > 0 {
		for _, x := range []*float64{&s.first, &s.high, &s.base.progress, &s.saved.progress, &s.pending.progress} {
			*x -= ahead
		}
	}
	s.setUp, w.to = 0, to
}

// dropSave abandons a save under way, and has the policy told.
func (w *World) dropSave(j int) {
	if s := &w.jobs[j]; s.phase == phaseSaving {
		s.phase = phaseTraining
		s.copies.drop(w.now)
		w.trigger |= TriggerJob
	}
}

// pause stops job j for what a change costs. A change that costs nothing leaves a
// save under way alone.
func (w *World) pause(j int, p Pause) {
	s := &w.jobs[j]
	if p.Stall > 0 || p.Rollback {
		w.dropSave(j)
	}
	if p.Rollback {
		s.toSave(w.now)
		if s.pendingAt != Never {
			s.copies.drop(w.now)
		}
		s.pendingAt, s.savedAt = Never, w.now // there is nothing to save
	}
	if p.Stall <= 0 {
		return
	}
	end := w.now.Add(p.Stall)
	if s.phase == phaseStalled && s.pauseEnd >= end {
		return
	}
	s.phase, s.stalledAs, s.pauseEnd = phaseStalled, p.As, end
}

// planned returns the layout that the policy means job j to train on, with most
// workers if that is above 0: where training starts does not depend on which
// instances happen to boot first. If most is fewer than the policy asked for, those
// that are ready come first.
func (t *training) planned(j, most int) *Layout {
	s, left := &t.jobs[j], int32(math.MaxInt32)
	held := s.held
	t.want = resize(t.want, len(held))
	want := t.want
	if most > 0 {
		left = int32(most)
	}
	for p := range want {
		want[p] = min(s.next[p], left)
		left -= want[p]
	}
	for p := range want {
		more := min(max(held[p].want-s.next[p], 0), left)
		want[p] += more
		left -= more
	}
	t.to = Layout{Workers: want, Pools: s.layout.Pools, Pipelines: s.pipelines, Stages: s.stages, Servers: s.servers}
	return &t.to
}

// finish ends job j as done or lost and gives everything back.
func (w *World) finish(j int, as phase) {
	s := &w.jobs[j]
	if s.byTasks {
		w.checkOut(j)
	}
	s.phase, s.finish = as, w.now
	if len(w.gangs) > 0 {
		w.gangs[j].end(w.now)
	}
	for k := range s.held {
		w.pools[s.poolOf(k)].asked -= s.held[k].want
		s.held[k].want, s.hold[k] = 0, 0
	}
	s.want = 0
	for _, i := range w.bySlot(j) {
		w.release(i)
	}
	for k := range s.held {
		w.recount(j, s.poolOf(k), &s.held[k])
	}
	clear(w.plan.Jobs[j].Hold)
	w.chargeServices(j)
	w.deactivate()
	if as == phaseDone {
		w.tell(j, JobFinished)
	} else {
		w.tell(j, JobLost)
	}
	w.close(j)
	w.trigger |= TriggerJob
	w.timers.Set(w.jobSlot(j), Never)
}

// save starts the checkpoint that the plan asks for, if job j is training and its
// last checkpoint is safe.
func (w *World) save(j int) {
	w.plan.Jobs[j].Save = false
	s := &w.jobs[j]
	if s.phase != phaseTraining || w.persisting(j, w.now) {
		return
	}
	w.touch()
	w.accountJob(j, w.now)
	s.settle(w.now)
	if s.keep > 0 {
		s.copies.write(w.now)
	}
	span := w.specs[j].Model.SaveTime(&s.layout)
	if span <= 0 { // training does not stop
		w.saved(j, w.now)
		return
	}
	s.phase, s.pauseEnd = phaseSaving, w.now.Add(span)
	w.run(j)
}

// Pace returns how fast jobs train beside what their models say: Speed, or 1 where that is 0.
func (c *Config) Pace() float64 {
	if c.Speed > 0 {
		return c.Speed
	}
	return 1
}

// Report sets the share of its training that job j has done by now, in [0, 1), as it was measured; what
// is beyond it of a save is lost. It is for a run that follows a past, after NextDecision, and
// reports whether training has begun: before that nothing is done, and nothing is set.
func (w *World) Report(j int, done float64) bool {
	if !w.market.granting || !(done >= 0 && done < 1) {
		panic("sim: World.Report: a run in a market that grants what is known, and a share from 0 to below 1, are expected")
	}
	s := &w.jobs[j]
	if !s.begun || !s.active() {
		return false
	}
	w.accountJob(j, w.now)
	s.settle(w.now)
	s.base.progress = s.first + done*(s.goal-s.first)
	s.high = s.base.progress
	s.saved.progress = min(s.saved.progress, s.base.progress)
	s.pending.progress = min(s.pending.progress, s.base.progress)
	if s.phase != phaseStalled && s.phase != phaseSaving {
		s.rate = w.specs[j].Model.Rate(&s.layout)
		s.rate.Progress *= w.cfg.Pace()
	}
	w.run(j)
	return true
}

// DoneAt returns the share of the training that is done at a loss; negative before the loss at which it
// began, and not a number before training has begun.
func (v JobView) DoneAt(loss float64) float64 {
	s := &v.w.jobs[v.j]
	if !s.begun {
		return math.NaN()
	}
	return (v.w.specs[v.j].Model.Goal(loss) - s.first) / (s.goal - s.first)
}
