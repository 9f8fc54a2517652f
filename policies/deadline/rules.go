package deadline

import "math"

// A Rule decides what to run on next. The rules are those of "Can't Be
// Late" (Wu et al., NSDI 2024): work that is done is kept, and a safety net
// moves to on demand when the time left just suffices.
type Rule struct {
	Name   string
	Source string
	Oracle bool // it knows some of the future
	answer func(s *State) Machine
}

// Answer returns what to run on next.
func (r *Rule) Answer(s *State) Machine { return r.answer(s) }

// Rules returns the rules by name.
func Rules() []Rule {
	const nsdi = "Can't Be Late (NSDI 2024)"
	return []Rule{
		{"greedy", nsdi + ", greedy: spot whenever there is some, else wait", false, thrifty(greedy)},
		{"greedy_old", nsdi + ", its artifact's first greedy: a net without the second changeover, and no end of its own",
			false, greedyOld},
		{"uniform_progress", nsdi + ", Uniform Progress with hysteresis of two changeovers", false,
			thrifty(with(uniform, 2))},
		{"uniform_progress_1d", nsdi + ", Uniform Progress with hysteresis of one changeover", false,
			thrifty(with(uniform, 1))},
		{"uniform_progress_no_hysteresis", nsdi + ", Uniform Progress without hysteresis", false,
			thrifty(with(uniform, math.NaN()))},
		{"time_sliced", nsdi + ", time-sliced: greedy in each of eight slices, which has its share of the work to do", false,
			thrifty(with(timeSliced, 8))},
		{"uniform_progress_next_spot", nsdi + ", Uniform Progress that knows how long the next spot lasts", true,
			thrifty(nextSpot)},
		{"uniform_progress_next_wait_and_spot",
			nsdi + ", Uniform Progress that knows when the next spot comes and how long it lasts", true,
			thrifty(nextWaitAndSpot)},
		{"spot_only", "spot whenever there is some, whatever the deadline", false, thrifty(spotOnly)},
		{"on_demand", "on demand throughout", false, thrifty(func(*State) Machine { return OnDemandMachine })},
	}
}

// thrifty is a rule that asks for nothing once the work is done.
func thrifty(rule func(*State) Machine) func(*State) Machine {
	return func(s *State) Machine {
		if s.left() <= 1e-3 {
			return NoMachine
		}
		return rule(s)
	}
}

func greedy(s *State) Machine { return s.safe(s.spot()) }

func greedyOld(s *State) Machine {
	if s.grains(s.left()+s.Changeover) < s.Deadline-s.Now {
		return s.spot()
	}
	if s.Running == SpotMachine {
		return SpotMachine
	}
	return OnDemandMachine
}

func spotOnly(s *State) Machine { return s.spot() }

// with fixes the parameter of a rule.
func with(rule func(*State, float64) Machine, x float64) func(*State) Machine {
	return func(s *State) Machine { return rule(s, x) }
}

// uniform is Uniform Progress: on demand when progress is behind an even pace, and
// back when it is ahead of that pace by n changeovers (not-a-number: whenever
// there is spot).
func uniform(s *State, hysteresis float64) Machine {
	pace := s.Work / s.Deadline
	answer := s.spot()
	if s.Done < s.Now*pace && !s.Available {
		answer = OnDemandMachine
	}
	behind := (s.Now+hysteresis*s.Changeover)*pace >= s.Done // false without hysteresis
	if s.Running == OnDemandMachine && (!s.Available || behind) {
		answer = OnDemandMachine
	}
	return s.safe(answer)
}

// timeSliced is greedy in each of n slices of the time, at the end of which
// its share of the work is done. Work beyond that share is done on spot only.
func timeSliced(s *State, slices float64) Machine {
	slice := *s
	length := s.Deadline / slices
	slice.Deadline = min(math.Floor(s.Now/length+1e-9)*length+length, s.Deadline)
	slice.Work = s.Work * slice.Deadline / s.Deadline
	if slice.left() <= 1e-3 {
		return s.safe(s.spot())
	}
	return s.safe(slice.safe(slice.spot()))
}

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
