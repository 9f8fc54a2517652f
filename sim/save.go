package sim

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
	span := w.specs[j].Model.SaveTime(&s.layout)
	if span <= 0 { // training does not stop
		w.saved(j, w.now)
		return
	}
	s.phase, s.pauseEnd = phaseSaving, w.now.Add(span)
	w.run(j)
}

// saved ends a save of job j. It is safe at once or, with a Persister, later.
func (t *training) saved(j int, now Time) {
	s := &t.jobs[j]
	s.secure(now)
	s.pending, s.pendingAt, s.savedAt = s.base, now, now
	if m, ok := t.specs[j].Model.(Persister); ok {
		s.pendingAt = now.Add(m.PersistTime(&s.layout))
	}
	s.secure(now)
}

// secure makes a pending save the one to fall back to, once it is safe.
func (s *jobState) secure(now Time) {
	if s.pendingAt <= now {
		s.saved, s.pendingAt = s.pending, Never
	}
}

// persisting reports whether the last save of job j is not safe yet.
func (t *training) persisting(j int, now Time) bool {
	s := &t.jobs[j]
	s.secure(now)
	return s.pendingAt != Never
}
