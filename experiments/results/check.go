package results

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/experiments/bound"
)

// Check says what is wrong with the totals of a run: dollars that do not add up
// to the cost, instance-hours that do not add up to those held, a finish that
// contradicts the objective, an unknown unit. WriteAll and Writer refuse such rows.
func (s *Summary) Check() error {
	if err := s.checkBooks(); err != nil {
		return fmt.Errorf("run %d (%s, %s, seed %d): %w", s.Run, s.Policy, s.Objective, s.Seed, err)
	}
	return nil
}

func (s *Summary) checkBooks() error {
	usd := s.CostSpotUSD + s.CostOnDemandUSD + s.CostPSUSD + s.CostStorageUSD + s.CostTransferUSD + s.CostDisksUSD +
		s.CostCheckpointsUSD + s.CostCommitmentsUSD + s.CostTaxUSD + s.CostLateUSD + s.CostTopupUSD -
		s.RefundUSD
	hours := s.UsefulH + s.RedundantH + s.CheckpointingH + s.RestoringH +
		s.ReconfiguringH + s.LostH + s.WaitingH + s.StartingH + s.SlowedH
	switch {
	case s.Unit != ByStart && s.Unit != BySeed:
		return fmt.Errorf("unit is %q, want %s or %s", s.Unit, ByStart, BySeed)
	case !near(usd, s.CostUSD):
		return fmt.Errorf("cost_usd is %v, its parts are %v", s.CostUSD, usd)
	case !near(hours, s.InstanceH):
		return fmt.Errorf("instance_h is %v, its parts are %v", s.InstanceH, hours)
	case !near(s.CostLateUSD, s.LateUSD()):
		return fmt.Errorf("cost_late_usd is %v, expected %v by the objective", s.CostLateUSD, s.LateUSD())
	case s.RefundUSD < 0:
		return fmt.Errorf("refund_usd is %v, want at least 0", s.RefundUSD)
	case s.Finished != (s.FinishS != nil):
		return fmt.Errorf("finished is %v but finish_s is null or not accordingly", s.Finished)
	case s.Kind().Meets != nil && s.GoalValue == nil:
		return fmt.Errorf("goal is %s, goal_value is null", s.Goal)
	case s.Met != s.Meets():
		return fmt.Errorf("met is %v with an objective of %v s (%s)", s.Met, s.ObjectiveS, s.Goal)
	case (s.MissedByS != nil) != (s.Finished && *s.FinishS > s.ObjectiveS):
		return fmt.Errorf("missed_by_s is for runs that finished late, and null for others")
	}
	return nil
}

// near is false where one of the numbers is not finite.
func near(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) && !math.IsInf(b, 0)
}

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
	cell := ""
	if e.Cell != nil {
		cell = fmt.Sprintf("cell %d, ", *e.Cell)
	}
	smallest := fmt.Sprintf("by the bound no run does for less than %.6f USD", e.BoundUSD)
	if math.IsInf(e.BoundUSD, 1) {
		smallest = "by the bound no run can"
	} else if e.FastestS > 0 {
		smallest += fmt.Sprintf(", and none sooner than after %.6f s", e.FastestS)
	}
	return fmt.Sprintf("run %d (%spolicy %s, objective %s, start %v s, seed %d) is below its bound: "+
		"it met the objective for %.6f USD after %.6f s, "+
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
	if !s.Met || s.FinishS == nil || !b.Contradicts(s.CostUSD, *s.FinishS) {
		return nil
	}
	return &BelowBound{
		Run:       s.Run,
		Policy:    s.Policy,
		Objective: s.Objective,
		Seed:      s.Seed,
		USD:       s.CostUSD,
		BoundUSD:  b.USD,
		Seconds:   *s.FinishS,
		FastestS:  b.Seconds,
	}
}

// CheckBound is that of the run, with its cell and its start.
func (r *SweepRow) CheckBound() error {
	err := r.Summary.CheckBound()
	if below, is := err.(*BelowBound); is {
		below.Cell = &r.Cell
		below.StartS = r.StartS
	}
	return err
}
