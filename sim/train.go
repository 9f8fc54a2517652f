package sim

import (
	"math"
)

// fromJob handles the timer of job j.
func (w *World) fromJob(j int) {
	s := &w.jobs[j]
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
		s.secure(w.now)
		if s.base.progress <= s.saved.progress {
			s.savedAt = w.now // there is nothing to save
		}
	case phaseSaving:
		s.phase = phaseTraining
		w.saved(j, w.now, s.persist)
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

// begin begins the training of job j.
func (w *World) begin(j int) {
	s, largest := &w.jobs[j], w.plan.Jobs[j].Workers
	if w.to.Total() > largest {
		largest = 0 // it trains on more than it announced
	}
	s.begun, s.setUp = true, int32(largest)
	s.first = w.specs[j].Model.Begin(w.planned(j, largest))
	s.base.progress, s.high, s.savedAt, s.resumedAt = s.first, s.first, w.now, w.now
	s.stepsFrom = s.first
	s.saved = s.base
}

// finish ends job j as done or lost and gives everything back.
func (w *World) finish(j int, as phase) {
	s := &w.jobs[j]
	if s.rate.Traffic > 0 {
		s.settle(w.now) // what traffic has cost
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
		w.recount(j, s, &w.pools[s.poolOf(k)], &s.held[k])
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
	stall, persist := w.specs[j].Model.SaveTime(&s.layout)
	if stall <= 0 { // training does not stop
		w.saved(j, w.now, persist)
		return
	}
	s.phase, s.pauseEnd, s.persist = phaseSaving, w.now.Add(stall), persist
	w.run(j)
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
	if len(s.trained.Workers) == 0 {
		return
	}
	c := w.changeTo(j)
	c.To = &s.trained
	cost := w.specs[j].Model.Change(c)
	cost.check()
	if cost.DropStep {
		s.dropStep(cost.DropShare)
	}
	if cost.Rollback {
		s.toSave(w.now)
	}
}

// believe has the jobs train as the policy believes.
func (w *World) believe() {
	for _, j := range w.active() {
		if w.specs[j].Belief == nil {
			continue
		}
		if len(w.believedJobs) == 0 {
			w.believedJobs = append(w.believedJobs, w.specs...)
			w.specs = w.believedJobs
		}
		w.accountJob(j, w.now)
		w.jobs[j].settle(w.now)
		w.jobs[j].translate(w.specs[j].Model, w.specs[j].Belief)
		w.jobs[j].rate.pace(w.cfg.Pace())
		w.specs[j].Model, w.specs[j].Belief = w.specs[j].Belief, nil
		w.jobs[j].elastic, _ = w.specs[j].Model.(ElasticModel)
		w.jobs[j].believeGoal(&w.specs[j])
	}
}

// believeGoal sets the goal of a job by the model that the policy believed in. A gang that has done all that was believed has a
// part of it left, as JobView.WorkLeft says.
func (s *jobState) believeGoal(spec *Job) {
	s.goal = spec.Model.Goal(spec.Objective.Loss)
	if g, ok := spec.Model.(GangModel); ok {
		s.goal = max(s.goal, s.base.progress+Overrun*g.Work())
	}
}

// Pace returns how fast jobs train beside what their models say: Speed, or 1 where that is 0.
func (c *Config) Pace() float64 {
	if c.Speed > 0 {
		return c.Speed
	}
	return 1
}
