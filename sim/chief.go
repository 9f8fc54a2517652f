package sim

// The chief (also master) of a job is its oldest ready instance: the one granted
// first, then the one in the first pool. In parameter-server training it saves
// and coordinates; Model.Change says what its loss costs. A chief that the
// policy gives back hands over and is not lost.

const noChief = -1

// electChief makes the oldest ready instance of job j, which has none, its chief.
func (w *World) electChief(j int) {
	s := &w.jobs[j]
	for i := range w.inst[:w.live] {
		x := &w.inst[i]
		if x.state == instanceReady && int(x.job) == j && (s.chief == noChief || x.older(&w.inst[s.chief])) {
			s.chief = int32(i)
		}
	}
}

// older reports whether x was granted before y.
func (x *instance) older(y *instance) bool {
	switch {
	case x.granted != y.granted:
		return x.granted < y.granted
	case x.pool != y.pool:
		return x.pool < y.pool
	}
	return x.ordinal < y.ordinal
}
