package policies

import (
	"fmt"
	"strings"
	"sync"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

var registered = registry.New[known]("policy")

// known is a registered policy. Its settings are looked at when it is first asked for:
// those of all would take a tenth of the program's start.
type known struct {
	Info
	settings func() error
}

// Register adds a policy to those that specs, sweeps, reports and the command line
// know by name. Call it in an init function; a module of one's own can do the same
// before it calls cmd.Main. It panics where the name is taken or not as Info says,
// something is missing, or the policy calls itself otherwise. Where a setting is not as
// Setting says, Named and List panic.
func Register(p Info) {
	if err := p.check(); err != nil {
		panic(fmt.Sprintf("policies: Register(%q): %v", p.Name, err))
	}
	registered.Add(p.Name, known{p, sync.OnceValue(p.checkSettings)})
}

// register registers a policy under its own name.
func register(doc, source string, needs Needs, policy func() sim.Policy) {
	Register(Info{Name: policy().Name(), Doc: doc, Source: source, Needs: needs, Defaults: policy})
}

// registerByDeadline registers a policy whose plan follows from the deadline alone.
func registerByDeadline(doc, source string, needs Needs, policy func() sim.Policy) {
	Register(Info{Name: policy().Name(), Doc: doc, Source: source, Needs: needs, Defaults: policy, ByDeadline: true})
}

func (p *Info) check() error {
	switch _, taken := registered.Get(p.Name); {
	case !isName(p.Name):
		return fmt.Errorf("expected a name of lower-case letters, digits, - and +")
	case taken:
		return fmt.Errorf("the name is taken")
	case p.Doc == "" || p.Source == "" || p.Defaults == nil || p.Needs > Layouts:
		return fmt.Errorf("expected Doc, Source, Defaults and one of the Needs")
	}
	policy := p.Defaults()
	if policy.Name() != p.Name {
		return fmt.Errorf("the policy calls itself %q", policy.Name())
	}
	return nil
}

func (p *Info) checkSettings() error {
	for _, s := range Settings(p.Defaults()) {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// info returns what was registered.
func (k known) info() Info {
	if err := k.settings(); err != nil {
		panic(fmt.Sprintf("policies: Register(%q): %v", k.Name, err))
	}
	return k.Info
}

// isName reports whether a name begins with a letter and has only lower-case letters,
// digits, - and +.
func isName(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-+") == ""
}

// List returns the registered policies in the order of their names.
func List() []Info {
	var out []Info
	for _, k := range registered.All() {
		out = append(out, k.info())
	}
	return out
}

// Names returns the names of the registered policies, sorted.
func Names() []string { return registered.Names() }

// Named returns the registered policy of a name, or a form of one (safe:NAME, retry:NAME). The error names the nearest.
func Named(name string) (Info, error) {
	of := func(p *Info) (Info, error) { return *p, nil }
	for _, f := range forms {
		if base, is := strings.CutPrefix(name, f.prefix); is {
			name, of = base, f.of
			break
		}
	}
	k, err := registered.Named(name)
	if err != nil {
		return Info{}, err
	}
	p := k.info()
	return of(&p)
}

// New returns a policy by name with its defaults.
func New(name string) (sim.Policy, error) {
	p, err := Named(name)
	if err != nil {
		return nil, err
	}
	return p.Defaults(), nil
}

// Info describes a policy.
type Info struct {
	Name   string // by which specs and the command line call it: lower-case letters, digits, - and +
	Doc    string // one sentence
	Source string // who published it
	Needs  Needs
	// Slow says that a run takes about a second: a spec that names no policies leaves it out.
	Slow bool
	// ByDeadline says that its plan follows from the deadline alone: it cannot pursue the goal MostWork.
	ByDeadline bool
	// Defaults returns a new policy with its default settings.
	Defaults func() sim.Policy
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
	// SharedInstances needs many jobs of tasks (sim.TaskModel) on rented instances that they share (Pool.Full); the policy is a
	// one that plans by tasks (sim.ByTasks).
	SharedInstances
	// SharedGPUs needs many jobs of which two can share GPUs of a cluster (sim.TaskModel, a Pool.Full of one GPU, of which a task takes
	// half); the policy plans by tasks.
	SharedGPUs
	// Layouts needs a calibrate/layout.Training: the policy searches for layouts itself.
	Layouts
)

// oneJob reports whether the model is that of one job.
func (n Needs) oneJob() bool { return n < Gangs || n == Layouts }

// Workers reports whether the model has to be one of workers (sim.WorkerModel).
func (n Needs) Workers() bool { return n == WorkerModels || n == ServerModels }

func (n Needs) String() string {
	return [...]string{"one instance type", "a model of workers", "a pipelined model that restarts",
		"a pipelined model whose losses are covered", "a pipelined model that is reinstantiated",
		"a pipelined model that is migrated", "any model", "a model of workers on parameter servers", "any model, on spot and on demand",
		"many jobs on a cluster", "sessions of notebooks", "many jobs whose tasks share rented instances",
		"many jobs on a cluster, two of which can share GPUs", "a model of layouts (model.layout)"}[n]
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
