package sim

import "time"

// advance finds the slowest worker again and lets those go on that waited for it.
func (s *Steps) advance() {
	least, any := 0, false
	for i := range s.workers {
		if w := &s.workers[i]; w.there() && (!any || w.clock < least) {
			least, any = w.clock, true
		}
	}
	if !any || least == s.slowest {
		return
	}
	s.slowest = least
	for i := range s.workers {
		if w := &s.workers[i]; w.phase == stepWaiting && s.ahead(w.clock) {
			s.start(i)
		}
	}
}

// ahead reports whether a worker with clock mini-batches done may begin another.
func (s *Steps) ahead(clock int) bool {
	return s.cfg.Mode == ASP || clock-s.slowest <= s.cfg.Staleness
}

func (w *stepWorker) there() bool { return w.phase == stepWaiting || w.phase == stepWorking }

// idle reports whether no iteration is under way.
func (s *Steps) idle() bool { return s.running+s.finished == 0 && !s.exchanging }

// again has an iteration begin when everything at this instant has happened.
func (s *Steps) again() {
	s.running, s.finished, s.need = 0, 0, 0
	s.timers.Set(2*len(s.workers), s.now)
}

// begin begins an iteration with all workers that are there.
func (s *Steps) begin() {
	s.timers.Set(2*len(s.workers), Never)
	for i := range s.workers {
		w := &s.workers[i]
		if w.crew = w.there(); w.crew {
			s.start(i)
			s.running++
		}
	}
	s.need = s.running
	if s.cfg.Mode == Backup {
		s.need = max(s.running-s.cfg.Backups, min(s.running, 1))
	}
}

// missOne goes on without the mini-batch of a worker that was revoked.
func (s *Steps) missOne() {
	s.running--
	have := s.running + s.finished
	switch {
	case have >= s.need:
	case s.cfg.Mode == Flexible:
		s.need = have
		s.barrier()
	default:
		s.totals.Aborted++
		s.stopCrew()
		s.bookCrew(&s.totals.Wasted)
		s.again()
	}
}

// barrier ends the present iteration if enough workers are done: what others do
// is dropped, and the exchange begins.
func (s *Steps) barrier() {
	if s.need == 0 || s.finished < s.need {
		return
	}
	span := s.cfg.Exchange + s.cfg.ExchangeEach*time.Duration(s.stopCrew())
	s.exchanging = true
	s.timers.Set(2*len(s.workers), s.now.Add(span))
}

// stopCrew stops the mini-batches of the present iteration that are under way,
// and returns the number of workers that are in it.
func (s *Steps) stopCrew() int {
	crew := 0
	for i := range s.workers {
		w := &s.workers[i]
		if w.crew {
			crew++
		}
		if w.crew && w.phase == stepWorking {
			s.stop(i)
		}
	}
	return crew
}

// endIteration ends the exchange.
func (s *Steps) endIteration() {
	s.exchanging = false
	s.totals.Updates += s.finished
	s.totals.Ends = append(s.totals.Ends, s.now)
	s.bookCrew(&s.totals.Useful)
	s.again()
}

// bookCrew books the mini-batches that are done in the present iteration.
func (s *Steps) bookCrew(as *time.Duration) {
	for i := range s.workers {
		w := &s.workers[i]
		*as += w.spent.Sub(0)
		w.spent, w.crew = 0, false
	}
}
