package spec

import (
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/objective"
)

// Validate reports the first thing that is wrong with the spec: file, line,
// column, value and what was expected. It opens the model's files, not the
// traces.
func (s *Spec) Validate() error {
	for _, check := range append([]func() error{s.checkStudy, s.checkTags}, s.Workload().checks()...) {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkTags reports the first value that is not as the tags of its field say (package
// fields), of the spec as it was written: without what was worked out.
func (s *Spec) checkTags() error {
	written := *s
	written.Objectives = slices.Clone(s.Objectives)
	for i := range written.Objectives {
		if o := &written.Objectives[i]; o.Within != "" || o.Kind() != &objective.Deadline && !o.Kind().WithDeadline {
			o.TimeS = 0
		}
	}
	if !s.Workload().HasObjectives() {
		written.Objectives = nil
	}
	return s.doc.Check(&written)
}

func (s *Spec) checkStudy() error {
	if err := checkName(s.Name); err != nil {
		return s.ErrorAt("$.name", "%v", err)
	}
	if s.Seeds < 1 { // of a spec that a program put together
		return s.ErrorAt("$.seeds", "%d, expected 1 to %d", s.Seeds, MaxSeeds)
	}
	if s.Seed > math.MaxInt64-int64(s.Seeds) {
		return s.ErrorAt("$.seed", "%d, expected the last seed to be below 2^63", s.Seed)
	}
	if key, err := s.Starts.Complete(); err != nil {
		return s.ErrorAt("$.starts."+key, "%v", err)
	}
	if s.Starts != (Starts{}) && len(s.Market.Traces) == 0 {
		return s.ErrorAt("$.starts", "starts need a recorded trace: "+
			"a synthetic market differs for every seed, a fixed cluster has no trace")
	}
	return nil
}
