package deadline

// worth is the least length of a stretch with spot that pays for n changeovers,
// in which the spot price is paid for nothing: with k the ratio of the prices, a
// stretch L costs L and does L - nD of work that costs k(L - nD) on demand.
func (s *State) worth(n float64) float64 {
	return n * s.PriceRatio * s.Changeover / (s.PriceRatio - 1)
}

// nextSpot is Uniform Progress that takes spot only where its stretch is long
// enough to pay for the changeover to it, from on demand for that back as well.
func nextSpot(s *State) Machine {
	return s.safe(nextSpotAnswer(s))
}

func nextSpotAnswer(s *State) Machine {
	behind := s.Done < s.Now*s.Work/s.Deadline
	switch {
	case s.Running == SpotMachine && s.Available:
		return SpotMachine
	case s.Running == OnDemandMachine:
		if s.Available && s.NextSpot > s.worth(2) {
			return SpotMachine
		}
		return OnDemandMachine
	case s.Available && s.NextSpot > s.worth(1):
		return SpotMachine
	case behind:
		return OnDemandMachine
	}
	return NoMachine
}

// nextWaitAndSpot also leaves on demand to wait for spot, if the even pace is
// met again when the stretch that comes next ends.
func nextWaitAndSpot(s *State) Machine {
	ahead := (s.Done+s.NextSpot-s.Changeover)*s.Deadline/s.Work - s.Now - s.NextSpot
	if s.Running == OnDemandMachine && !s.Available && s.NextWait <= ahead && s.NextSpot > s.worth(1) {
		return s.safe(NoMachine)
	}
	return nextSpot(s)
}
