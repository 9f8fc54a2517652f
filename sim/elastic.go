package sim

// stretch lays job j out on the workers in jobState.next, where that stops nothing: what relayout does, without what cannot be. It reports
// whether it could.
func (w *World) stretch(j int, s *jobState) bool {
	if s.elastic == nil || !s.begun || s.unserved || w.rigid(j, s) {
		return false
	}
	w.accountJob(j, w.now)
	s.settle(w.now)
	n, trained := int(s.workers), s.rate.Progress > 0
	if !s.elastic.RateInto(w.specs[j].Model, s.next, n, s.servers, &s.rate) {
		return false
	}
	s.rate.Progress *= w.cfg.Pace()
	s.rate.check()
	if s.rate.Progress == 0 {
		w.dropSave(j) // as in relayout
		if trained {
			w.stop(j)
		}
	} else {
		if s.outgrows(n) {
			w.changeTo(j)
			w.outgrow(j)
		}
		s.trainOn()
	}
	if s.chief == noChief {
		s.chief = w.oldestReady(j)
	}
	s.laidOut, s.laidAt, s.layout.Servers = true, w.now, s.servers
	copy(s.layout.Workers, s.next)
	s.differ = 0
	w.run(j)
	return true
}

// rigid reports whether a new layout of job j may need more than its rate.
func (w *World) rigid(j int, s *jobState) bool {
	return s.pipelines|s.stages|s.placed.Stage|s.layout.Pipelines|s.layout.Stages|s.layout.Holes != 0 ||
		w.plan.Jobs[j].Free || w.cfg.Moves != nil || len(w.gangs) > 0
}
