package sim

import (
	"math"
)

// fromJob handles the timer of job j.
func (w *World) fromJob(j int) {
	job := &w.jobs[j]
	w.changed()
	w.accountJob(j, w.now)
	job.settle(w.now)
	switch job.phase {
	case phaseUnsubmitted:
		w.submit(j)
		return
	case phaseTraining:
		if job.base.progress >= job.goal || job.reaches(job.goal, w.now) {
			job.base.progress = job.goal
			if w.market.granting { // it was not over yet
				w.timers.Set(w.jobSlot(j), Never)
				job.rate.Progress = 0
				return
			}
			w.finish(j, phaseDone)
			return
		}
		job.base.progress = max(job.base.progress, job.high) // all that was lost is done again
	case phaseStalled:
		job.phase = phaseTraining
		job.resumedAt = w.now
		job.secure(w.now)
		if job.base.progress <= job.saved.progress {
			job.savedAt = w.now // there is nothing to save
		}
	case phaseSaving:
		job.phase = phaseTraining
		w.saved(j, w.now, job.persist)
		w.trigger |= TriggerJob
	}
	w.run(j)
}

// submit makes job j active.
func (w *World) submit(j int) {
	job := &w.jobs[j]
	job.phase = phaseIdle
	job.accountedUntil = w.now
	w.activate(j)
	w.trigger |= TriggerStart
	w.timers.Set(w.jobSlot(j), Never)
	w.plan.Jobs[j].active = true
	w.markDirty(j)
	w.tell(j, JobSubmitted)
}

// reaches reports whether a job is within rounding of a progress, the one for which
// its timer was set.
func (s *jobState) reaches(progress float64, now Time) bool {
	return now.After((progress-s.base.progress)/s.rate.Progress) <= now.plus(1) && progress >= s.high
}

// run lets a job that is not paused train, and sets its timer to what comes next.
func (w *World) run(j int) {
	job := &w.jobs[j]
	at := Never
	switch {
	case job.phase == phaseStalled || job.phase == phaseSaving:
		at = job.pauseEnd
	case job.rate.Progress > 0:
		job.phase = phaseTraining
		at = job.until(w.now)
	default:
		job.phase = phaseIdle
	}
	w.timers.Set(w.jobSlot(j), at)
}

// noise is what share of the progress of a run the rounding of its sums may amount to: 64 units in the last place.
const noise = 0x1p-46

// until returns when a job that trains since then will be at the goal, or where what was lost is done again: the first
// instant that is not before, but for the noise of progress. An exact end at a whole microsecond is that one.
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
	whole := math.Round(seconds * 1e6)
	if whole < exact && math.Abs(seconds*1e6-whole) <= noise*1e6*math.Abs(target)/s.rate.Progress {
		return since.plus(int64(whole))
	}
	return since.After(seconds)
}

// begin begins the training of job j.
func (w *World) begin(j int) {
	job := &w.jobs[j]
	largest := w.plan.Jobs[j].Workers
	if w.to.Total() > largest {
		largest = 0 // it trains on more than it announced
	}
	job.begun = true
	job.setUp = int32(largest)
	job.first = w.specs[j].Model.Begin(w.planned(j, largest))
	job.base.progress = job.first
	job.high = job.first
	job.savedAt = w.now
	job.resumedAt = w.now
	job.stepsFrom = job.first
	job.saved = job.base
}

// finish ends job j as done or lost and gives everything back.
func (w *World) finish(j int, as phase) {
	job := &w.jobs[j]
	if job.rate.Traffic > 0 {
		job.settle(w.now) // what traffic has cost
	}
	job.phase = as
	job.finish = w.now
	if len(w.gangs) > 0 {
		w.gangs[j].end(w.now)
	}
	for k := range job.held {
		w.pools[job.poolOf(k)].asked -= job.held[k].want
		job.held[k].want = 0
		job.hold[k] = 0
	}
	job.want = 0
	for _, i := range w.bySlot(j) {
		w.release(i)
	}
	for k := range job.held {
		w.recount(j, job, &w.pools[job.poolOf(k)], &job.held[k])
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
	job := &w.jobs[j]
	if job.phase != phaseTraining || w.persisting(j, w.now) {
		return
	}
	w.touch()
	w.accountJob(j, w.now)
	job.settle(w.now)
	if job.keep > 0 {
		job.copies.write(w.now)
	}
	stall, persist := w.specs[j].Model.SaveTime(&job.layout)
	if stall <= 0 { // training does not stop
		w.saved(j, w.now, persist)
		return
	}
	job.phase = phaseSaving
	job.pauseEnd = w.now.Add(stall)
	job.persist = persist
	w.run(j)
}

// DoneAt returns the share of the training that is done at a loss; negative before the loss at which it
// began, and not a number before training has begun.
func (v JobView) DoneAt(loss float64) float64 {
	job := &v.w.jobs[v.j]
	if !job.begun {
		return math.NaN()
	}
	return (v.w.specs[v.j].Model.Goal(loss) - job.first) / (job.goal - job.first)
}

// cut ends the run for job j, if it is not over.
func (w *World) cut(j int) {
	if !w.jobs[j].active() {
		return
	}
	w.takeBack(j)
	if w.spanFilled { // the last, which ends now
		shown := &w.span.Jobs[j]
		shown.Done = w.done(j, w.now)
		shown.Loss = w.loss(j, w.now)
	}
}

// takeBack takes from a job that waits what going on as it trained last would: nobody has more of what it did.
func (w *World) takeBack(j int) {
	job := &w.jobs[j]
	if !job.begun || job.phase == phaseTraining || job.rate.Progress > 0 || w.costless(j) {
		return
	}
	if len(job.trained.Workers) == 0 {
		return
	}
	change := w.changeTo(j)
	change.To = &job.trained
	cost := w.specs[j].Model.Change(change)
	cost.check()
	if cost.DropStep {
		job.dropStep(cost.DropShare)
	}
	if cost.Rollback {
		job.toSave(w.now)
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
		w.specs[j].Model = w.specs[j].Belief
		w.specs[j].Belief = nil
		w.jobs[j].elastic, _ = w.specs[j].Model.(ElasticModel)
		w.jobs[j].believeGoal(&w.specs[j])
	}
}

// believeGoal sets the goal of a job by the model that the policy believed in. A gang that has done all that was
// believed has a part of it left, as JobView.WorkLeft says.
func (s *jobState) believeGoal(spec *Job) {
	s.goal = spec.Model.Goal(spec.Objective.Loss)
	if model, ok := spec.Model.(GangModel); ok {
		s.goal = max(s.goal, s.base.progress+Overrun*model.Work())
	}
}

// Pace returns how fast jobs train beside what their models say: Speed, or 1 where that is 0.
func (c *Config) Pace() float64 {
	if c.Speed > 0 {
		return c.Speed
	}
	return 1
}
