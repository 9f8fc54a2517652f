package sim

// ElasticModel is a Model whose workers come and go while the others go on: as long as the job has a parameter server,
// Change and SaveTime return nothing. The world then asks for no more than the rate, which is written where it stays: a new layout takes
// a third of the instructions.
type ElasticModel interface {
	Model
	// RateInto writes what Rate returns of a layout with so many workers by pool, n in all, and servers, and reports true. It reports
	// false, and the world asks Rate and Change, if it has no shorter way, or if self is not the receiver: a type that
	// embeds an ElasticModel and has a Rate of its own is no ElasticModel.
	RateInto(self Model, workers []int32, n int, servers int32, into *Rate) bool
}

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
	s.rate.Progress *= w.pace()
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
		w.plan.Jobs[j].Free || w.cfg.Moves != nil || w.many || len(w.gangs) > 0
}
