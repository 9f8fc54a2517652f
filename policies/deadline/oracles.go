package deadline

// worth is the shortest stretch with spot that pays for n changeovers, during which
// the spot price buys nothing: with k the ratio of the prices and D a changeover, a
// stretch of length L costs L and does work that would cost k(L - nD) on demand.
func (s *State) value(n float64) float64 {
	return n * s.PriceRatio * s.Changeover / (s.PriceRatio - 1)
}

// nextSpot is Uniform Progress that takes spot only where its stretch is long
// enough to pay for the changeover to it and, from on demand, for the one back.
func nextSpot(s *State) Machine {
	return s.safe(nextSpotAnswer(s))
}

func nextSpotAnswer(s *State) Machine {
	behind := s.Done < s.Now*s.Work/s.Deadline
	switch {
	case s.Running == SpotMachine && s.Available:
		return SpotMachine
	case s.Running == OnDemandMachine:
		if s.Available && s.NextSpot > s.value(2) {
			return SpotMachine
		}
		return OnDemandMachine
	case s.Available && s.NextSpot > s.value(1):
		return SpotMachine
	case behind:
		return OnDemandMachine
	}
	return NoMachine
}

// nextWaitAndSpot also leaves on demand to wait for spot, if the job is back at the
// even pace when the next stretch ends.
func nextWaitAndSpot(s *State) Machine {
	ahead := (s.Done+s.NextSpot-s.Changeover)*s.Deadline/s.Work - s.Now - s.NextSpot
	if s.Running == OnDemandMachine && !s.Available && s.NextWait <= ahead && s.NextSpot > s.value(1) {
		return s.safe(NoMachine)
	}
	return nextSpot(s)
}
