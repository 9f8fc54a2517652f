package spec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/traces/replay"
)

// Boundable reports why package bound has no bound for the spec's runs, nil if it may
// have one: where the trace does not say what can be held, or first hours are free.
func (s *Spec) Boundable() error {
	if path, why := s.unbounded(); why != "" {
		return s.ErrorAt(path, "%s, so there is no bound", why)
	}
	return nil
}

// unbounded returns the place that rules a bound out, and why.
func (s *Spec) unbounded() (path, why string) {
	if path, why := s.unboundedJobs(); why != "" {
		return path, why
	}
	if s.Market.Billing.FreeFirstHour {
		return "$.market.billing.free_first_hour", "true: what is held has no least cost"
	}
	if len(s.Market.Commitments) > 0 {
		return "$.market.commitments", "they are paid whether used or not: what is held has no least cost"
	}
	if s.Model.Notebooks != nil {
		return "$.model.notebooks", "sessions of notebooks: the least cost of hosts for cells is not known"
	}
	if s.Model.Observed != nil {
		return "$.model.observed", "training as past runs did: the least cost of such a job is not known"
	}
	if s.Model.Training != nil {
		return "$.model.training", "the least cost of clusters is known for asynchronous training without this key only"
	}
	for i := range s.Objectives {
		if s.Objectives[i].ETTR > 0 {
			return fmt.Sprintf("$.objectives[%d].ettr", i), "a share of effective time: the least cost of one is not known"
		}
	}
	for i := range s.Market.Pools {
		switch a := s.ReplayOf(&s.Market.Pools[i]).adapter(); a {
		case replay.LaunchOnly, replay.LifetimeResample:
			return fmt.Sprintf("$.market.pools[%d]", i), fmt.Sprintf("the adapter %s: instances may outlive the capacity in the trace", a)
		}
	}
	return "", ""
}

// unboundedJobs is unbounded of what only many jobs have.
func (s *Spec) unboundedJobs() (path, why string) {
	g := s.Model.Gang
	switch {
	case s.Market.Instances != nil:
		return "$.market.instances", "instances that jobs share: the least cost of what they share is not known"
	case g == nil:
		return "", ""
	case g.Tasks != nil:
		return "$.model.gang.tasks", "tasks that share instances: the least cost of what they share is not known"
	case g.Pairs != "":
		return "$.model.gang.pairs", "jobs that share GPUs: the least cost of what they share is not known"
	}
	rises := func(keeps []float64) bool {
		return !slices.IsSortedFunc(keeps, func(a, b float64) int { return cmp.Compare(b, a) })
	}
	if rises(g.Network) {
		return "$.model.gang.network", "it rises: a job that is faster the further apart its GPUs are has no least cost"
	}
	for _, kind := range slices.Sorted(maps.Keys(g.NetworkByKind)) {
		if rises(g.NetworkByKind[kind]) {
			return "$.model.gang.network_by_kind", "that of " + kind + " rises: a job that is faster the further apart its GPUs are has no least cost"
		}
	}
	return "", ""
}

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
		if o := &written.Objectives[i]; o.Within != "" || o.Goal() != policies.Deadline {
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
	m := s.Model
	m.Gang = nil
	switch {
	case !reflect.ValueOf(m).IsZero():
		return s.ErrorAt("$.model", "expected gang alone: many jobs are gangs")
	case len(s.Market.Servers)+len(s.Market.Pools) == 0 && s.Market.Instances == nil:
		return s.ErrorAt("$.market", "expected servers, the cluster that the jobs share, pools, or instances")
	case s.Market.Instances == nil && s.Model.Gang != nil && s.Model.Gang.Tasks != nil:
		return s.ErrorAt("$.model.gang.tasks", "tasks share rented instances, but the market has none: expected market.instances")
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
