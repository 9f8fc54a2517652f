package steps

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// advance finds the slowest worker again and lets those go on that waited for it.
func (s *Simulator) advance() {
	smallest, any := 0, false
	for i := range s.workers {
		if w := &s.workers[i]; w.there() && (!any || w.clock < smallest) {
			smallest, any = w.clock, true
		}
	}
	if !any || smallest == s.slowest {
		return
	}
	s.slowest = smallest
	for i := range s.workers {
		if w := &s.workers[i]; w.phase == waiting && s.ahead(w.clock) {
			s.start(i)
		}
	}
}

// ahead reports whether a worker with clock mini-batches done may begin another.
func (s *Simulator) ahead(clock int) bool {
	return s.cfg.Mode == ASP || clock-s.slowest <= s.cfg.Staleness
}

func (w *worker) there() bool { return w.phase == waiting || w.phase == working }

// idle reports whether no iteration is under way.
func (s *Simulator) idle() bool { return s.running+s.finished == 0 && !s.exchanging }

// beginNext has an iteration begin when everything at this instant has happened.
func (s *Simulator) beginNext() {
	s.running, s.finished, s.need = 0, 0, 0
	s.timers.Set(2*len(s.workers), s.now)
}

// begin begins an iteration with all workers that are there.
func (s *Simulator) begin() {
	s.timers.Set(2*len(s.workers), sim.Never)
	for i := range s.workers {
		w := &s.workers[i]
		if w.inIteration = w.there(); w.inIteration {
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
func (s *Simulator) missOne() {
	s.running--
	have := s.running + s.finished
	switch {
	case have >= s.need:
	case s.cfg.Mode == Flexible:
		s.need = have
		s.barrier()
	default:
		s.totals.Aborted++
		s.stopIteration()
		s.bookIteration(&s.totals.Wasted)
		s.beginNext()
	}
}

// barrier ends the present iteration if enough workers are done: what others do
// is dropped, and the exchange begins.
func (s *Simulator) barrier() {
	if s.need == 0 || s.finished < s.need {
		return
	}
	span := s.cfg.Exchange + s.cfg.ExchangeEach*time.Duration(s.stopIteration())
	s.exchanging = true
	s.timers.Set(2*len(s.workers), s.now.Add(span))
}

// stopIteration stops the mini-batches of the present iteration that are under way,
// and returns the number of workers that are in it.
func (s *Simulator) stopIteration() int {
	n := 0
	for i := range s.workers {
		w := &s.workers[i]
		if w.inIteration {
			n++
		}
		if w.inIteration && w.phase == working {
			s.stop(i)
		}
	}
	return n
}

// endIteration ends the exchange.
func (s *Simulator) endIteration() {
	s.exchanging = false
	s.totals.Updates += s.finished
	s.totals.Ends = append(s.totals.Ends, s.now)
	s.bookIteration(&s.totals.Useful)
	s.beginNext()
}

// bookIteration counts the time of the mini-batches that are done in the present iteration.
func (s *Simulator) bookIteration(as *sim.MachineTime) {
	for i := range s.workers {
		w := &s.workers[i]
		*as += sim.MachineTime(w.spent)
		w.spent, w.inIteration = 0, false
	}
}
