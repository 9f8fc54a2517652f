package reference

import (
	"math"

	"github.com/marigram/marigram/policies/deadline"
)

// A PublishedRule decides what to run on next. The rules are those of "Can't Be
// Late" (Wu et al., NSDI 2024): work that is done is kept, and a safety net
// moves to on demand when the time left just suffices.
type PublishedRule struct {
	Name   string
	Source string
	Oracle bool // it knows some of the future
	answer func(s *deadline.State) deadline.Machine
}

// Answer returns what to run on next.
func (r *PublishedRule) Answer(s *deadline.State) deadline.Machine { return r.answer(s) }

// Rules returns the rules by name.
func Rules() []PublishedRule {
	const nsdi = "Can't Be Late (NSDI 2024)"
	return []PublishedRule{
		{"greedy", nsdi + ", greedy: spot whenever there is some, else wait", false, thrifty((*deadline.State).Greedy)},
		{"greedy_old", nsdi + ", its artifact's first greedy: a net without the second changeover, and no end of its own",
			false, greedyOld},
		{"uniform_progress", nsdi + ", Uniform Progress with hysteresis of two changeovers", false,
			thrifty(with((*deadline.State).Uniform, 2))},
		{"uniform_progress_1d", nsdi + ", Uniform Progress with hysteresis of one changeover", false,
			thrifty(with((*deadline.State).Uniform, 1))},
		{"uniform_progress_no_hysteresis", nsdi + ", Uniform Progress without hysteresis", false,
			thrifty(with((*deadline.State).Uniform, math.NaN()))},
		{"time_sliced", nsdi + ", time-sliced: greedy in each of eight slices, which has its share of the work to do", false,
			thrifty(with((*deadline.State).TimeSliced, 8))},
		{"uniform_progress_next_spot", nsdi + ", Uniform Progress that knows how long the next spot lasts", true,
			thrifty(nextSpot)},
		{"uniform_progress_next_wait_and_spot",
			nsdi + ", Uniform Progress that knows when the next spot comes and how long it lasts", true,
			thrifty(nextWaitAndSpot)},
		{"spot_only", "spot whenever there is some, whatever the deadline", false, thrifty((*deadline.State).Spot)},
		{"on_demand", "on demand throughout", false, thrifty(func(*deadline.State) deadline.Machine { return deadline.OnDemandMachine })},
	}
}

// thrifty is a rule that asks for nothing once the work is done.
func thrifty(rule func(*deadline.State) deadline.Machine) func(*deadline.State) deadline.Machine {
	return func(s *deadline.State) deadline.Machine {
		if s.Left() <= 1e-3 {
			return deadline.NoMachine
		}
		return rule(s)
	}
}

func greedyOld(s *deadline.State) deadline.Machine {
	if s.Grains(s.Left()+s.Changeover) < s.Deadline-s.Now {
		return s.Spot()
	}
	if s.Running == deadline.SpotMachine {
		return deadline.SpotMachine
	}
	return deadline.OnDemandMachine
}

// with fixes the parameter of a rule.
func with(rule func(*deadline.State, float64) deadline.Machine, x float64) func(*deadline.State) deadline.Machine {
	return func(s *deadline.State) deadline.Machine { return rule(s, x) }
}

// value is the shortest stretch with spot that pays for n changeovers, during which
// the spot price buys nothing: with k the ratio of the prices and D a changeover, a
// stretch of length L costs L and does work that would cost k(L - nD) on demand.
func value(s *deadline.State, n float64) float64 {
	return n * s.PriceRatio * s.Changeover / (s.PriceRatio - 1)
}

// nextSpot is Uniform Progress that takes spot only where its stretch is long
// enough to pay for the changeover to it and, from on demand, for the one back.
func nextSpot(s *deadline.State) deadline.Machine {
	return s.Safe(nextSpotAnswer(s))
}

func nextSpotAnswer(s *deadline.State) deadline.Machine {
	behind := s.Done < s.Now*s.Work/s.Deadline
	switch {
	case s.Running == deadline.SpotMachine && s.Available:
		return deadline.SpotMachine
	case s.Running == deadline.OnDemandMachine:
		if s.Available && s.NextSpot > value(s, 2) {
			return deadline.SpotMachine
		}
		return deadline.OnDemandMachine
	case s.Available && s.NextSpot > value(s, 1):
		return deadline.SpotMachine
	case behind:
		return deadline.OnDemandMachine
	}
	return deadline.NoMachine
}

// nextWaitAndSpot also leaves on demand to wait for spot, if the job is back at the
// even pace when the next stretch ends.
func nextWaitAndSpot(s *deadline.State) deadline.Machine {
	ahead := (s.Done+s.NextSpot-s.Changeover)*s.Deadline/s.Work - s.Now - s.NextSpot
	if s.Running == deadline.OnDemandMachine && !s.Available && s.NextWait <= ahead && s.NextSpot > value(s, 1) {
		return s.Safe(deadline.NoMachine)
	}
	return nextSpot(s)
}
