package sim

// The chief (also master) of a job is its oldest ready instance: the one granted
// first, and of several the one in the first pool. In training with parameter
// servers it saves and coordinates; Model.Change says what its loss costs. A chief
// that the policy releases hands over to the next, and is not lost.

const noChief = -1

// oldestReady returns the oldest ready instance of job j, noChief if there is none.
func (f *fleet) oldestReady(j int) int32 {
	oldest := int32(noChief)
	for i := range f.inst[:f.live] {
		x := &f.inst[i]
		if x.state == instanceReady && int(x.job) == j && (oldest == noChief || x.older(&f.inst[oldest])) {
			oldest = int32(i)
		}
	}
	return oldest
}
