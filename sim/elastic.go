package sim

// ElasticModel is a Model whose workers come and go while the others go on: as long as the job has a parameter server,
// Change and SaveTime return nothing. The world then asks for no more than the rate, which is written where it stays: a new layout takes
// a third of the instructions.
type ElasticModel interface {
	Model
	// RateInto writes what Rate returns of l, which has n workers in all, and reports true. It reports false, and the
	// world asks Rate and Change, if it has no shorter way, or if self is not the receiver: a type that embeds an
	// ElasticModel and has a Rate of its own is no ElasticModel.
	RateInto(self Model, l *Layout, n int, into *Rate) bool
}

// stretch lays job j out on the workers in w.next, where that stops nothing: what relayout does, without what cannot be. It reports
// whether it could.
func (w *World) stretch(j int) bool {
	s, spec := &w.jobs[j], &w.specs[j]
	m, elastic := spec.Model.(ElasticModel)
	if !elastic || !s.begun || s.unserved || spec.Belief != nil || w.rigid(j) {
		return false
	}
	w.accountJob(j, w.now)
	s.settle(w.now)
	to := &w.to
	to.Workers, to.Pipelines, to.Stages, to.Servers, to.Holes = w.next[:len(s.held)], 0, 0, s.servers, 0
	if !m.RateInto(spec.Model, to, w.workersNext, &s.rate) {
		return false
	}
	s.rate.Progress *= w.pace()
	s.rate.check()
	if s.rate.Progress == 0 {
		w.dropSave(j) // as in relayout
	} else {
		if s.outgrows(w.workersNext) {
			w.outgrow(j)
		}
		s.trainOn()
	}
	w.laid(j)
	w.run(j)
	return true
}

// rigid reports whether a new layout of job j may need more than its rate.
func (w *World) rigid(j int) bool {
	s := &w.jobs[j]
	return s.pipelines|s.stages|s.placed.Stage|s.layout.Holes != 0 || w.plan.Jobs[j].Free || w.cfg.Moves != nil || w.many || len(w.gangs) > 0
}
