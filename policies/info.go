package policies

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/sim"
)

// Info describes a policy.
type Info struct {
	Name   string // by which specs and the command line call it: lower-case letters, digits, - and +
	Doc    string // one sentence
	Source string // who published it
	Needs  Needs
	// Tool says that it follows the rules of a tool: a spec that names no policies leaves it out.
	Tool bool
	// Assumes are what the policy takes for given that its source does not say, beside settings with a tag assumed.
	Assumes []Assumption
	// ByDeadline says that its plan follows from the deadline alone: it has no use for a budget.
	ByDeadline bool
	// Defaults returns a new policy with its default settings.
	Defaults func() sim.Policy
}

// Assumption is something that the source of a policy does not say, and that the policy takes for given.
type Assumption struct {
	Name string `json:"name"` // as rows of results say it: lower-case letters, digits and _
	Doc  string `json:"doc"`  // a sentence
}

// Assumptions returns what a policy with these settings assumes, for a row of results: "try_s=10 runtime_s=60 fleet",
// the assumed settings with their values and then the other assumptions by name; empty if it assumes nothing.
func (p *Info) Assumptions(with sim.Policy) string {
	var all []string
	for _, s := range Settings(with) {
		if s.Assumed != "" {
			all = append(all, fmt.Sprintf("%s=%v", s.Name, s.Value))
		}
	}
	for _, a := range p.Assumes {
		all = append(all, a.Name)
	}
	return strings.Join(all, " ")
}

// Needs says which models a policy works with.
type Needs uint8

// What a policy can need.
const (
	OneType      Needs = iota // any model, on one instance type
	WorkerModels              // sim.WorkerModel: it searches among clusters of workers
	// The others need a sim.PipelineModel that does at a loss what the policy is
	// made for: return to the last save, let neighbours cover, or fill pipelines
	// from replicas.
	RestartingPipelines
	CoveredPipelines
	ReplicatedPipelines
	// MigratingPipelines needs a parcae.MigrationModel as well.
	MigratingPipelines
	AnyModel
	ServerModels // sim.WorkerModel of workers on parameter servers
	MixedPools   // any model, and instances on demand beside spot
	Gangs        // many jobs that share a cluster (sim.GangModel)
	Sessions     // calibrate/notebooks.Platform: sessions of notebooks
	// Layouts needs a calibrate/layout.Training: the policy searches for layouts itself.
	Layouts
)

// oneJob reports whether the model is that of one job.
func (n Needs) oneJob() bool { return n < Gangs || n == Layouts }

// Workers reports whether the model has to be one of workers (sim.WorkerModel).
func (n Needs) Workers() bool { return n == WorkerModels || n == ServerModels }

// ForAnyModel reports whether any model will do, and any instance types.
func (n Needs) ForAnyModel() bool { return n == AnyModel || n == MixedPools }

func (n Needs) String() string {
	return [...]string{
		"one instance type",
		"a model of workers",
		"a pipelined model that restarts",
		"a pipelined model whose losses are covered",
		"a pipelined model that is reinstantiated",
		"a pipelined model that is migrated",
		"any model",
		"a model of workers on parameter servers",
		"any model, on spot and on demand",
		"many jobs on a cluster",
		"sessions of notebooks",
		"a model of layouts (model.layout)",
	}[n]
}

// Oracle is a policy that knows the future (sim.Traits.KnowsFuture): it is given the market before its first
// decision.
type Oracle interface {
	SetMarket(m *sim.Market)
}

// RunOracle is a policy that knows the future of one run: it is given the whole of it, random
// numbers included, before the run. An error says why it cannot plan for that run.
type RunOracle interface {
	SetRun(c sim.Config) error
}
