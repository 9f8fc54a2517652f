package spec

import (
	"math"
	"reflect"
	"slices"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/experiments/spec/cluster"
)

// Validate reports the first thing that is wrong with the spec: file, line,
// column, value and what was expected. It opens the model's files, not the
// traces.
func (s *Spec) Validate() error {
	checks := []func() error{s.checkStudy, s.checkTags, s.checkMarket, s.checkPools, s.checkObjectives, s.checkPolicies, s.checkModel}
	if s.Jobs != nil {
		checks = []func() error{s.checkStudy, s.checkTags, s.checkJobs, s.checkMarket, s.checkPools, s.checkPolicies}
	}
	for _, check := range checks {
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
		if o := &written.Objectives[i]; o.Within != "" || o.Kind() != &objective.Deadline {
			o.TimeS = 0
		}
	}
	if s.Jobs != nil {
		written.Objectives = nil
	}
	return s.doc.Check(&written)
}

// checkJobs reports what is wrong with many jobs, how they train and where.
func (s *Spec) checkJobs() error {
	kind, _ := s.Model.Kind.Chosen()
	others := s.Model
	others.Gang = nil
	others.Kind = model.Section{}
	switch {
	case kind != nil || !reflect.ValueOf(others).IsZero():
		return s.ErrorAt("$.model", "expected gang alone: many jobs are gangs")
	case len(s.Market.Servers)+len(s.Market.Pools) == 0:
		return s.ErrorAt("$.market", "expected servers, the cluster that the jobs share, or pools")
	}
	if err := s.Jobs.Check(s.ErrorAt); err != nil {
		return err
	}
	if err := cluster.CheckServers(s.Market.Servers, s.ErrorAt); err != nil {
		return err
	}
	if err := cluster.CheckTiers(s.Market.Tiers, s.Market.Servers, s.ErrorAt); err != nil {
		return err
	}
	return s.Model.Gang.Check(s.Market.Tiers, s.ErrorAt)
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
		return s.ErrorAt("$.starts", "starts need a recorded trace: a synthetic market differs for every seed, a fixed cluster has no trace")
	}
	return nil
}
