package results

import (
	"fmt"
	"math"
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
	usd := s.CostSpotUSD + s.CostOnDemandUSD + s.CostPSUSD + s.CostStorageUSD + s.CostTransferUSD + s.CostDisksUSD + s.CostCheckpointsUSD +
		s.CostCommitmentsUSD + s.CostTaxUSD + s.CostTopupUSD - s.RefundUSD
	hours := s.UsefulH + s.RedundantH + s.CheckpointingH + s.RestoringH +
		s.ReconfiguringH + s.LostH + s.WaitingH + s.StartingH
	switch {
	case s.Unit != ByStart && s.Unit != BySeed:
		return fmt.Errorf("unit is %q, want %s or %s", s.Unit, ByStart, BySeed)
	case !near(usd, s.CostUSD):
		return fmt.Errorf("cost_usd is %v, its parts are %v", s.CostUSD, usd)
	case !near(hours, s.InstanceH):
		return fmt.Errorf("instance_h is %v, its parts are %v", s.InstanceH, hours)
	case s.RefundUSD < 0:
		return fmt.Errorf("refund_usd is %v, want at least 0", s.RefundUSD)
	case s.Finished != (s.FinishS != nil):
		return fmt.Errorf("finished is %v but finish_s is null or not accordingly", s.Finished)
	case (s.Goal == MostWork || s.Goal == ETTR) && s.GoalValue == nil:
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
