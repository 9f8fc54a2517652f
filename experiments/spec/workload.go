package spec

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/policies"
)

// Workload is what the policies of a spec are given to do: a job for each objective, or many jobs that share a cluster.
// It answers all in which they differ, and nothing else asks which of them a spec has.
//
// A new workload is a type with these methods, which Spec.Workload chooses by its key, and a Kind. It adds an entry by
// that Kind to the table of each package that runs workloads: experiments.works (how its jobs enter the world, which
// columns they give and what is warned of), advise.works (what a state says of it, and what is advised) and gym.tasks
// (what an agent observes and chooses). Nothing else has to change.
type Workload interface {
	// Kind names the workload for the tables of other packages.
	Kind() WorkloadKind
	// HasObjectives reports whether the objectives are those of the spec, each for a job of its own. Else there is one,
	// that all jobs are done within the horizon.
	HasObjectives() bool
	// MovesAcrossRegions reports whether jobs take their state from region to region as market.moves says; jobs of a
	// cluster move between its racks.
	MovesAcrossRegions() bool
	// MeetsTypicalCapacity reports whether capacity may be assumed (typical) for it.
	MeetsTypicalCapacity() bool

	// rulesOutBound returns the place that rules out every bound of cost, and why; empty if none does.
	rulesOutBound() (path, why string)
	// rulesOutForesight is rulesOutBound for the bound without foresight.
	rulesOutForesight() (path, why string)

	checks() []func() error
	setDefaults()
	// models makes the models of the spec's policies; those of many jobs come with the jobs.
	models() ([]JobModel, error)
	// files returns the names of the traces with its jobs.
	files() []string
	// serves reports whether policies with these needs can run it.
	serves(needs policies.Needs) bool
	// refuse says why a policy that it does not serve cannot run it.
	refuse(p *Policy, needs policies.Needs) error
	// lacksOnDemand says what a policy misses that needs on demand.
	lacksOnDemand() string
	// fixedCluster reports whether it runs on servers that are always there, or on demand, alone.
	fixedCluster() bool
	// findUnusedStorage finds prices of storage that change nothing.
	findUnusedStorage(add func(path, format string, args ...any))
}

// WorkloadKind names a kind of Workload.
type WorkloadKind string

// The kinds of workloads.
const (
	OneJob   WorkloadKind = "one job"
	ManyJobs WorkloadKind = "many jobs"
)

// Workload returns what the policies are given to do.
func (s *Spec) Workload() Workload {
	if s.Jobs != nil {
		return manyJobs{s}
	}
	return oneJob{s}
}

// FixedCluster reports whether many jobs run on servers that are always there, or on demand, alone.
func (s *Spec) FixedCluster() bool { return s.Workload().fixedCluster() }

// oneJob is a job for each objective, of the spec's model.
type oneJob struct{ spec *Spec }

func (oneJob) Kind() WorkloadKind         { return OneJob }
func (oneJob) HasObjectives() bool        { return true }
func (oneJob) MeetsTypicalCapacity() bool { return true }

// MovesAcrossRegions is false of models that say themselves what moves.
func (w oneJob) MovesAcrossRegions() bool {
	kind, _ := w.spec.kind()
	return kind.Moves == ""
}

func (w oneJob) rulesOutBound() (path, why string) {
	if path, why = w.spec.unbounded(); why != "" {
		why += ", so there is no bound"
	}
	return path, why
}

func (oneJob) rulesOutForesight() (path, why string) { return "", "" }

func (w oneJob) checks() []func() error {
	s := w.spec
	return []func() error{s.checkMarket, s.checkPools, s.checkObjectives, s.checkPolicies, s.checkModel}
}

func (w oneJob) setDefaults() {
	s := w.spec
	s.nameObjectives()
	longest := 0.0
	for _, o := range s.Objectives {
		longest = max(longest, o.TimeS)
	}
	if s.HorizonS == 0 {
		s.HorizonS = min(3*longest, maxHorizonS)
	}
}

func (w oneJob) models() ([]JobModel, error)      { return w.spec.modelsOfJob() }
func (oneJob) files() []string                    { return nil }
func (w oneJob) serves(needs policies.Needs) bool { return w.spec.modelFits(needs) }
func (oneJob) fixedCluster() bool                 { return false }

func (w oneJob) refuse(p *Policy, needs policies.Needs) error {
	s := w.spec
	switch {
	case needs == policies.Gangs:
		return fmt.Errorf("policy %s is a scheduler of many jobs, but the spec has one: "+
			"expected jobs instead of objectives, or another policy (marigram policies lists them)", p.Name)
	case s.NoTraining() != nil:
		return fmt.Errorf("policy %s needs %v, but the model is %s: %s are for it", p.Name, needs, s.NoTraining().Name,
			strings.Join(s.fitting(), ", "))
	case needs == policies.OneType:
		return fmt.Errorf("policy %s needs %v, but the pools have several", p.Name, needs)
	case needs == policies.MixedPools:
		return fmt.Errorf("policy %s %s", p.Name, w.lacksOnDemand())
	}
	kind, _ := s.kind()
	return fmt.Errorf("policy %s needs %v, but the model is %s", p.Name, needs, kind.Name)
}

func (oneJob) lacksOnDemand() string {
	return "needs on-demand instances, but on_demand_quota is 0 in all pools"
}

func (w oneJob) findUnusedStorage(add func(path, format string, args ...any)) {
	if w.spec.Market.Billing.StorageUSDPerGBMonth == 0 {
		add("market.billing.storage_gb", "storage_usd_per_gb_month is not set: storage is free")
	}
}

// manyJobs is the jobs of a trace or of a generator, gangs that share a cluster.
type manyJobs struct{ spec *Spec }

func (manyJobs) Kind() WorkloadKind         { return ManyJobs }
func (manyJobs) HasObjectives() bool        { return false }
func (manyJobs) MovesAcrossRegions() bool   { return false }
func (manyJobs) MeetsTypicalCapacity() bool { return false }

func (manyJobs) rulesOutBound() (path, why string) {
	return "$.jobs", "many jobs have no bound: compare their schedulers with one another " +
		"(marigram compare DIR --baseline NAME)"
}

func (manyJobs) rulesOutForesight() (path, why string) {
	return "$.jobs", "many jobs: the bound without foresight is for one"
}

func (w manyJobs) checks() []func() error {
	s := w.spec
	return []func() error{w.checkJobs, s.checkMarket, s.checkPools, s.checkPolicies}
}

// checkJobs reports what is wrong with the jobs, how they train and where.
func (w manyJobs) checkJobs() error {
	s := w.spec
	m := &s.Model
	switch {
	case !m.Kind.Empty():
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

// setDefaults gives the jobs the one objective that all of them end within the horizon.
func (w manyJobs) setDefaults() {
	s := w.spec
	if s.HorizonS == 0 {
		s.HorizonS = maxHorizonS
	}
	s.Objectives = []Objective{{Name: s.Jobs.Name(), TimeS: s.HorizonS}}
}

func (w manyJobs) models() ([]JobModel, error) { return make([]JobModel, len(w.spec.Policies)), nil }

func (w manyJobs) files() (files []string) {
	if w.spec.Jobs.Trace != "" {
		files = append(files, w.spec.Path(w.spec.Jobs.Trace))
	}
	if claims := w.spec.Jobs.Claims.Chosen(); claims != nil {
		for _, name := range claims.Files() {
			files = append(files, w.spec.Path(name))
		}
	}
	return files
}

func (manyJobs) serves(needs policies.Needs) bool { return needs == policies.Gangs }
func (w manyJobs) fixedCluster() bool             { return len(w.spec.Market.Pools) == 0 }

func (w manyJobs) refuse(p *Policy, _ policies.Needs) error {
	return fmt.Errorf("policy %s is for one job, but the spec has many (jobs); schedulers are %s",
		p.Name, strings.Join(w.spec.fitting(), ", "))
}

func (manyJobs) lacksOnDemand() string {
	return "needs GPUs on demand, but the market has none: expected an entry of servers with on_demand: true"
}

func (manyJobs) findUnusedStorage(add func(path, format string, args ...any)) {
	add("market.billing.storage_gb", "storage of many jobs is not charged")
	add("market.billing.checkpoint", "checkpoints of many jobs are not charged")
}
