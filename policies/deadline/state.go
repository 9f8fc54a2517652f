package deadline

import "math"

// Machine is what a deadline rule asks for: nothing, one spot instance or one on
// demand.
type Machine uint8

// The answers.
const (
	NoMachine Machine = iota
	SpotMachine
	OnDemandMachine
)

// State is what a deadline rule knows. Spans are in seconds.
type State struct {
	Now        float64 // since the job was submitted
	Deadline   float64 // since the same
	Work       float64 // useful time that the job takes in all
	Done       float64 // of Work
	Changeover float64 // lost whenever another machine takes over
	Warming    float64 // part of the present changeover that is left
	Grain      float64 // between two decisions; times are compared in multiples of it
	Available  bool    // spot can be had
	Running    Machine // what the job has

	// What only an oracle knows.
	NextSpot   float64 // length of the present or next stretch with spot
	NextWait   float64 // until it begins; 0 if it has
	PriceRatio float64 // of on demand to spot, above 1
}

func (s *State) left() float64 { return s.Work - s.Done }

// grains rounds a span up to whole grains.
func (s *State) grains(x float64) float64 { return math.Ceil(x/s.Grain) * s.Grain }

// spot is the answer of a rule that takes spot or nothing.
func (s *State) spot() Machine {
	if s.Available {
		return SpotMachine
	}
	return NoMachine
}

// safe is the safety net: it overrides an answer that would risk the deadline.
func (s *State) safe(answer Machine) Machine {
	left := math.Floor((s.Deadline-s.Now)/s.Grain) * s.Grain
	if s.grains(s.left()+2*s.Changeover) >= left && s.Running != SpotMachine {
		answer = OnDemandMachine
	}
	if s.grains(s.left()+s.Changeover) < left {
		return answer
	}
	if s.Changeover == 0 && s.Available || s.Running == SpotMachine && s.Warming < 1e-3 {
		return SpotMachine
	}
	return OnDemandMachine
}
