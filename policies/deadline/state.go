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
	Deadline   float64 // since then
	Work       float64 // useful time that the job takes in all
	Done       float64 // of it
	Changeover float64 // lost whenever another machine takes over
	Warming    float64 // of that still to come
	Grain      float64 // between two decisions; spans are compared in whole ones
	Available  bool    // spot can be had
	Running    Machine // what the job has

	// What only an oracle knows.
	NextSpot   float64 // length of the stretch with spot that is under way or comes next
	NextWait   float64 // until it begins; 0 if it is under way
	PriceRatio float64 // of on demand to spot, above 1
}

func (s *State) left() float64 { return s.Work - s.Done }

// grains rounds a span up to whole grains.
func (s *State) grains(x float64) float64 { return math.Ceil(x/s.Grain) * s.Grain }

// spot is the answer of whoever wants spot and makes do with nothing.
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
