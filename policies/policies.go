// Package policies holds the policies that marigram ships, one a file, and the
// list by which specs and the command line name them. To write one, copy
// reactive.go and add it to the list.
package policies

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/sim"
)

// Info describes a policy.
type Info struct {
	Name   string
	Doc    string // one sentence
	Source string
	Needs  Needs
	// Defaults returns a new policy with its default settings.
	Defaults func() sim.Policy
}

// Needs says which models a policy works with.
type Needs uint8

// What a policy can need.
const (
	OneType      Needs = iota // any model, on one instance type
	WorkerModels              // sim.WorkerModel: it searches among clusters of workers
	// The others need a sim.PipelineModel, which must do at a loss what the policy
	// is for: go back to the last save, let neighbours cover, or fill pipelines
	// from replicas.
	RestartingPipelines
	CoveredPipelines
	ReplicatedPipelines
	// MigratingPipelines needs a MigrationModel as well.
	MigratingPipelines
	AnyModel
)

func (n Needs) String() string {
	return [...]string{"one instance type", "a model of workers", "a pipelined model that restarts",
		"a pipelined model whose losses are covered", "a pipelined model that is reinstantiated", "a pipelined model that is migrated", "any model"}[n]
}

// List returns the policies in the order in which they are shown.
func List() []Info {
	return []Info{
		{"fixed", "asks for its instances once and goes on with what is left", "the transient clusters of Li, Walls and Guo (ICAC 2019)", WorkerModels,
			func() sim.Policy { return &Fixed{} }},
		{"cmdare", "keeps n instances as reactive does, and adds a parameter server where the speed falls short of the sum of its workers'", "CM-DARE (ICDCS 2020)", WorkerModels,
			func() sim.Policy {
				return &CMDARE{Patience: 5 * time.Minute, Warmup: 30 * time.Second, Threshold: 0.067, MostServers: 2}
			}},
		{"cmdare+", "spotdnn, but taking workers to be as fast together as alone", "spotDNN (IWQoS 2023), baseline CM-DARE+", WorkerModels,
			func() sim.Policy { return newSpotDNN("cmdare+", &Uncontended{}) }},
		{"bamboo", "redundant computation: neighbours do the work of lost stages until the pipelines are laid out anew", "Bamboo (NSDI 2023)", CoveredPipelines,
			func() sim.Policy { return &Bamboo{Risk: 0.05, Interval: time.Hour, AcrossZones: true} }},
		{"checkfreq", "saves in two phases, as often as a budget allows", "CheckFreq (FAST 2021)", RestartingPipelines,
			func() sim.Policy { return &CheckFreq{Budget: 0.035, Settle: 5 * time.Minute} }},
		{"checkpoint", "saves at an interval and restarts from the last save", "Young (CACM 1974), Daly (FGCS 2006)", RestartingPipelines,
			func() sim.Policy { return &Checkpoint{Prior: 24 * time.Hour, Settle: 5 * time.Minute} }},
		{"oobleck", "every instance trains, in pipelines of unlike sizes that are filled again from replicas", "Oobleck (SOSP 2023)", ReplicatedPipelines,
			func() sim.Policy { return &Oobleck{Interval: time.Hour, Grow: true} }},
		{"parcae", "plans the layouts of the coming minutes over a forecast of the instances, and migrates live", "Parcae (NSDI 2024)", MigratingPipelines,
			func() sim.Policy { return newParcae() }},
		{"parcae-ideal", "parcae with what will be for a forecast: an oracle", "Parcae (NSDI 2024), Parcae (Ideal)", MigratingPipelines,
			func() sim.Policy { return newParcaeIdeal() }},
		{"parcae-robust", "parcae that gives back what is of little use, and leaves places late", "ours, after Parcae (NSDI 2024)", MigratingPipelines,
			func() sim.Policy { return newParcaeRobust() }},
		{"parcae-reactive", "migrates live to the fastest layout for what there is", "Parcae (NSDI 2024), Parcae-Reactive", MigratingPipelines,
			func() sim.Policy { return newParcaeReactive() }},
		{"throughput-optimal", "restarts in the fastest layout for what there is", "Parcae (NSDI 2024), baseline of its public code", MigratingPipelines,
			func() sim.Policy { return newThroughputOptimal() }},
		{"ideal-no-overhead", "the fastest layout for what there is, at no cost: a bound", "Parcae (NSDI 2024), Ideal of its public code", MigratingPipelines,
			func() sim.Policy { return newIdealNoOverhead() }},
		{"varuna", "the fastest pipelines for what there is, from a save at every change", "Varuna (EuroSys 2022)", RestartingPipelines,
			func() sim.Policy { return &Varuna{Steps: 10, OnNotice: true, Settle: 5 * time.Minute} }},
		{"greedy", "on spot whenever there is some, on demand when the time left just suffices", "Can't Be Late (NSDI 2024)", OneType,
			func() sim.Policy { return &Greedy{Changeover: 6 * time.Minute, Poll: 10 * time.Minute} }},
		{"time-sliced", "greedy in each slice of the time", "Can't Be Late (NSDI 2024)", OneType,
			func() sim.Policy {
				return &TimeSliced{Changeover: 6 * time.Minute, Poll: 10 * time.Minute, Slices: 8}
			}},
		{"uniform-progress", "on demand when behind an even pace, else on spot", "Can't Be Late (NSDI 2024)", OneType,
			func() sim.Policy {
				return &UniformProgress{Changeover: 6 * time.Minute, Poll: 10 * time.Minute, Hysteresis: 2}
			}},
		{"ondemand", "spotDNN's plan at on-demand prices, or the cheapest pipelines in time: nobody interrupts it", "spotDNN (IWQoS 2023), baseline On-demand", AnyModel,
			func() sim.Policy { return &OnDemand{} }},
		{"reactive", "keeps n instances of the cheapest type that meets the objective and replaces what is lost", "auto-scaling group, as in Bamboo (NSDI 2023) section 2", WorkerModels,
			func() sim.Policy { return &Reactive{Patience: 5 * time.Minute} }},
		{"spotdnn", "bounds and sliding window, planned again at every notice", "spotDNN (IWQoS 2023), Algorithm 1", WorkerModels,
			func() sim.Policy { return newSpotDNN("", nil) }},
		{"srifty+", "spotdnn, but with the cheapest of all clusters, by exhaustive search", "spotDNN (IWQoS 2023), baseline Srifty+", WorkerModels,
			func() sim.Policy { return newSpotDNN("srifty+", &Exhaustive{}) }},
	}
}

func newSpotDNN(baseline string, strategy Strategy) *SpotDNN {
	return &SpotDNN{OverPrediction: 0.03, Overhead: 30 * time.Second, Poll: 15 * time.Second, Patience: 2 * time.Minute,
		Baseline: baseline, Strategy: strategy}
}

// Names returns the names of the policies.
func Names() []string {
	var names []string
	for _, p := range List() {
		names = append(names, p.Name)
	}
	return names
}

// New returns a policy by name with its defaults.
func New(name string) (sim.Policy, error) {
	for _, p := range List() {
		if p.Name == name {
			return p.Defaults(), nil
		}
	}
	return nil, fmt.Errorf("unknown policy %q; there are %s", name, strings.Join(Names(), ", "))
}
