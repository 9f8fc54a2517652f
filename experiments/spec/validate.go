package spec

import (
	"math"
)

// Validate reports the first thing that is wrong with the spec: file, line,
// column, value and what was expected. It opens the model's files, not the
// histories.
func (s *Spec) Validate() error {
	for _, check := range []func() error{s.checkStudy, s.checkMarket, s.checkPools, s.checkObjectives, s.checkPolicies,
		s.checkModel} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) checkStudy() error {
	if err := checkName(s.Name); err != nil {
		return s.ErrorAt("$.name", "%v", err)
	}
	switch {
	case s.Seed < 0:
		return s.ErrorAt("$.seed", "%d, expected at least 0", s.Seed)
	case s.Seeds < 1 || s.Seeds > MaxSeeds:
		return s.ErrorAt("$.seeds", "%d, expected 1 to %d", s.Seeds, MaxSeeds)
	case s.Seed > math.MaxInt64-int64(s.Seeds):
		return s.ErrorAt("$.seed", "%d, expected the last seed to be below 2^63", s.Seed)
	case s.HorizonS < 0 || s.HorizonS > maxHorizonS:
		return s.ErrorAt("$.horizon_s", "%v, expected more than 0 and at most %v (20 years)", s.HorizonS, maxHorizonS)
	case s.Timelines != nil && *s.Timelines < 0:
		return s.ErrorAt("$.timelines", "%d, expected at least 0", *s.Timelines)
	}
	return nil
}
