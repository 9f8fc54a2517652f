package reference

import (
	"fmt"

	"github.com/marigram/marigram/policies/deadline"
)

// Job is one run of the tick model of Can't Be Late (NSDI 2024): at each
// tick what was asked for at the one before is paid for a whole tick, and a
// preemption is noticed only then; an interval that ends in one still counts.
type Job struct {
	TickS, WorkS, DeadlineS, ChangeoverS float64
	SpotUSDPerH, OnDemandUSDPerH         float64
}

// Result is what became of it.
type Result struct {
	CostUSD, CompletionS  float64
	Launches, Preemptions int
	SpotS, OnDemandS      float64
	Ticks                 int
}

// Rule decides at every tick; a PublishedRule is one.
type Rule interface {
	Answer(s *deadline.State) deadline.Machine
}

// Replay runs the job under a rule; available tells tick by tick whether there
// is spot, which oracles are told ahead. An error means that the sequence ends
// before the job does.
func (j *Job) Replay(rule Rule, available []bool) (Result, error) {
	var r Result
	s := deadline.State{Deadline: j.DeadlineS, Work: j.WorkS, Changeover: j.ChangeoverS, Grain: j.TickS,
		PriceRatio: j.OnDemandUSDPerH / j.SpotUSDPerH}
	known, oracle := rule.(*PublishedRule)
	oracle = oracle && known.Oracle
	asked := deadline.NoMachine
	for s.Done < j.WorkS-1e-9 {
		if r.Ticks == len(available) {
			return r, fmt.Errorf("the sequence ends after %d ticks, before the job: %v of %v s are done", r.Ticks, s.Done,
				j.WorkS)
		}
		s.Now, s.Available, s.Running = float64(r.Ticks)*j.TickS, available[r.Ticks], asked
		j.bill(&r, asked)
		if asked == deadline.SpotMachine && !s.Available {
			s.Running = deadline.NoMachine
			r.Preemptions++
		}
		if asked != deadline.NoMachine {
			useful := max(j.TickS-s.Warming, 0)
			if s.Warming -= j.TickS - useful; s.Warming < 1e-3 {
				s.Warming = 0
			}
			s.Done += min(useful, j.WorkS-s.Done)
		}
		if oracle {
			wait, spot := ahead(available[r.Ticks:])
			s.NextWait, s.NextSpot = float64(wait)*j.TickS, float64(spot)*j.TickS
		}
		asked = rule.Answer(&s)
		if asked != s.Running && asked != deadline.NoMachine {
			s.Warming = j.ChangeoverS
			r.Launches++
		}
		r.Ticks++
	}
	j.bill(&r, asked)
	r.CompletionS = float64(r.Ticks) * j.TickS
	return r, nil
}

func (j *Job) bill(r *Result, m deadline.Machine) {
	switch m {
	case deadline.SpotMachine:
		r.SpotS += j.TickS
		r.CostUSD += j.TickS / 3600 * j.SpotUSDPerH
	case deadline.OnDemandMachine:
		r.OnDemandS += j.TickS
		r.CostUSD += j.TickS / 3600 * j.OnDemandUSDPerH
	}
}

// ahead returns the ticks until there is spot, and those for which it then
// lasts, as far as the sequence goes.
func ahead(available []bool) (wait, spot int) {
	for wait < len(available) && !available[wait] {
		wait++
	}
	for wait+spot < len(available) && available[wait+spot] {
		spot++
	}
	return wait, spot
}
