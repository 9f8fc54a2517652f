package results

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/bound"
)

// BelowBound is the error of a run that met its objective for less than its bound, or sooner. The two contradict each
// other, whatever the policy did: it is a defect of the program.
type BelowBound struct {
	Run               int64
	Cell              *int64 // of a sweep; nil: of none
	Policy, Objective string
	StartS            float64 // from the beginning of the traces
	Seed              int64
	USD, BoundUSD     float64
	Seconds, FastestS float64 // until the run ended, and the least; FastestS of 0: not known
}

// Error implements error: which run, both numbers, and what to do. Commands add a line that does it again.
func (e *BelowBound) Error() string {
	cell, smallest := "", fmt.Sprintf("by the bound no run does for less than %.6f USD", e.BoundUSD)
	if e.Cell != nil {
		cell = fmt.Sprintf("cell %d, ", *e.Cell)
	}
	switch {
	case math.IsInf(e.BoundUSD, 1):
		smallest = "by the bound no run can"
	case e.FastestS > 0:
		smallest += fmt.Sprintf(", and none sooner than after %.6f s", e.FastestS)
	}
	return fmt.Sprintf("run %d (%spolicy %s, objective %s, start %v s, seed %d) is below its bound: it met the objective for %.6f USD after %.6f s, "+
		"but %s; this is a defect of marigram, not of the policy: please report it with the spec",
		e.Run, cell, e.Policy, e.Objective, e.StartS, e.Seed, e.USD, e.Seconds, smallest)
}

// CheckBound returns an error of type *BelowBound if the run met its objective for less than bound_usd; nil where
// bounds were not asked for.
func (s *Summary) CheckBound() error {
	if s.BoundUSD == nil {
		return nil
	}
	return s.CheckAgainst(&bound.Bound{USD: *s.BoundUSD})
}

// CheckAgainst is CheckBound with the bound of the run, of dollars and of time.
func (s *Summary) CheckAgainst(b *bound.Bound) error {
	if !s.OnTime() || s.FinishS == nil || !b.Contradicts(s.CostUSD, *s.FinishS) {
		return nil
	}
	return &BelowBound{Run: s.Run, Policy: s.Policy, Objective: s.Objective, Seed: s.Seed, USD: s.CostUSD, BoundUSD: b.USD,
		Seconds: *s.FinishS, FastestS: b.Seconds}
}

// CheckBound is that of the run, with its cell and its start.
func (r *SweepRow) CheckBound() error {
	err := r.Summary.CheckBound()
	if below, is := err.(*BelowBound); is {
		below.Cell, below.StartS = &r.Cell, r.StartS
	}
	return err
}
