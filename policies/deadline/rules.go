package deadline

import "math"

// The rules are those of "Can't Be Late" (Wu et al., NSDI 2024): they decide what to run on next. Work that is done
// is kept, and a safety net moves to on demand when the time left just suffices.

// Greedy takes spot whenever there is some, else it waits.
func (s *State) Greedy() Machine { return s.Safe(s.Spot()) }

// Uniform is Uniform Progress: on demand when progress is behind an even pace, and
// back when it is ahead of that pace by n changeovers (not-a-number: whenever
// there is spot).
func (s *State) Uniform(hysteresis float64) Machine {
	pace := s.Work / s.Deadline
	answer := s.Spot()
	if s.Done < s.Now*pace && !s.Available {
		answer = OnDemandMachine
	}
	behind := (s.Now+hysteresis*s.Changeover)*pace >= s.Done // false without hysteresis
	if s.Running == OnDemandMachine && (!s.Available || behind) {
		answer = OnDemandMachine
	}
	return s.Safe(answer)
}

// TimeSliced is greedy in each of n slices of the time, at the end of which
// its share of the work is done. Work beyond that share is done on spot only.
func (s *State) TimeSliced(slices float64) Machine {
	slice := *s
	length := s.Deadline / slices
	slice.Deadline = min(math.Floor(s.Now/length+1e-9)*length+length, s.Deadline)
	slice.Work = s.Work * slice.Deadline / s.Deadline
	if slice.Left() <= 1e-3 {
		return s.Safe(s.Spot())
	}
	return s.Safe(slice.Safe(slice.Spot()))
}
