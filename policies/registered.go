package policies

import (
	"time"

	"github.com/marigram/marigram/policies/clairvoyant"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/notebooks"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/policies/rollout"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

func init() {
	Register(Info{
		Name:       "spotdnn-safe",
		Doc:        "spotdnn while on demand alone could still meet the deadline, then on demand: " + safe.Promise,
		Source:     "marigram; the rule of a point of no return as in Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      WorkerModels,
		Defaults: func() sim.Policy {
			p := safe.New(newSpotDNN("", nil))
			p.As = "spotdnn-safe"
			return p
		},
	})
	Register(Info{
		Name:       "rollout",
		Doc:        "tries spotdnn-safe and other choices in imagined futures and takes what is cheaper there; meets the deadline as spotdnn-safe does",
		Source:     "marigram; rollout of a base policy, as in Bertsekas, Tsitsiklis and Wu (Journal of Heuristics 1997)",
		ByDeadline: true,
		Needs:      WorkerModels,
		Slow:       true,
		Defaults: func() sim.Policy {
			base := safe.New(newSpotDNN("", nil))
			base.As = "spotdnn-safe"
			p := rollout.New(base)
			p.As = "rollout"
			return p
		},
	})
	Register(Info{
		Name:     "ondemand",
		Doc:      "the cheapest clusters on demand, now and later, that meet the objective: never interrupted",
		Source:   "marigram; the plan one-cluster is the baseline On-demand of spotDNN (IWQoS 2023)",
		Needs:    AnyModel,
		Defaults: func() sim.Policy { return ondemand.New() },
	})
	Register(Info{
		Name:       "mdp",
		Doc:        "plans ahead: holds what is expected to cost least by a Markov decision process of the market that it believes in; " + safe.Promise,
		Source:     "marigram; a Markov decision process, as in Bellman (1957), with a law that is learnt",
		ByDeadline: true,
		Needs:      MixedPools,
		Defaults:   func() sim.Policy { return mdp.New() },
	})
	Register(Info{
		Name:       "clairvoyant",
		Doc:        "the cheapest schedule found that meets the objective, by who knows all prices, capacity and boots in advance",
		Source:     "marigram; dynamic programming on what the bound finds, judged by the simulator",
		ByDeadline: true,
		Needs:      ServerModels,
		Defaults: func() sim.Policy {
			net := safe.New(newSpotDNN("", nil))
			net.As = "spotdnn-safe"
			return &clairvoyant.Policy{Bases: []sim.Policy{ondemand.New(), &Reactive{Patience: 5 * time.Minute}, newSpotDNN("", nil), net}}
		},
	})
}

func init() {
	for name, doc := range map[string]string{
		notebooks.Autoscaled: "hosts for cells of notebooks by an autoscaler, on spot first: GPUs only while a cell runs",
		notebooks.OnDemand:   "notebook-pool on demand",
		notebooks.Batch:      "notebook-pool with a container for each cell, as batch jobs have",
		notebooks.Reserved:   "holds the GPUs of each session of notebooks from its start to its stop",
	} {
		Register(Info{
			Name:     name,
			Doc:      doc,
			Source:   "NotebookOS (ASPLOS 2026), rules of its public code, simplified",
			Needs:    Sessions,
			Defaults: func() sim.Policy { return notebooks.New(name) },
		})
	}
}

func init() {
	Register(Info{
		Name:     "spotdnn",
		Doc:      "cheapest cluster by bounds and a sliding window; plans again at every notice",
		Source:   "spotDNN (IWQoS 2023), Algorithm 1",
		Needs:    WorkerModels,
		Defaults: func() sim.Policy { return newSpotDNN("", nil) },
	})
	Register(Info{
		Name:     "cmdare+",
		Doc:      "spotdnn with a model in which workers do not slow each other down",
		Source:   "spotDNN (IWQoS 2023), baseline CM-DARE+",
		Needs:    ServerModels,
		Defaults: func() sim.Policy { return newSpotDNN("cmdare+", &spotdnn.Uncontended{}) },
	})
	Register(Info{
		Name:     "srifty+",
		Doc:      "spotdnn with the cheapest of all clusters, by exhaustive search",
		Source:   "spotDNN (IWQoS 2023), baseline Srifty+",
		Needs:    WorkerModels,
		Defaults: func() sim.Policy { return newSpotDNN("srifty+", &spotdnn.Exhaustive{}) },
	})
}

// newSpotDNN returns spotDNN with its paper's settings, or a baseline of it.
func newSpotDNN(baseline string, strategy spotdnn.Strategy) *spotdnn.SpotDNN {
	return &spotdnn.SpotDNN{OverPrediction: 0.03, Overhead: 30 * time.Second, Poll: 15 * time.Second,
		Patience: 2 * time.Minute,
		Baseline: baseline, Strategy: strategy}
}

func init() {
	Register(Info{
		Name:     "parcae",
		Doc:      "plans the layouts of the next minutes from a forecast of the instances, and migrates live",
		Source:   "Parcae (NSDI 2024)",
		Needs:    MigratingPipelines,
		Defaults: func() sim.Policy { return parcae.New() },
	})
	Register(Info{
		Name:     "parcae-ideal",
		Doc:      "parcae with perfect forecasts: an oracle",
		Source:   "Parcae (NSDI 2024), Parcae (Ideal)",
		Needs:    MigratingPipelines,
		Defaults: func() sim.Policy { return parcae.NewIdeal() },
	})
	Register(Info{
		Name:     "parcae-robust",
		Doc:      "parcae-reactive at lower cost: gives back instances of little use, and leaves places late",
		Source:   "ours, after Parcae (NSDI 2024)",
		Needs:    MigratingPipelines,
		Defaults: func() sim.Policy { return parcae.NewRobust() },
	})
	Register(Info{
		Name:     "parcae-reactive",
		Doc:      "migrates live to the fastest layout for its present instances",
		Source:   "Parcae (NSDI 2024), Parcae-Reactive",
		Needs:    MigratingPipelines,
		Defaults: func() sim.Policy { return parcae.NewReactive() },
	})
	Register(Info{
		Name:     "throughput-optimal",
		Doc:      "restarts in the fastest layout for its present instances",
		Source:   "Parcae (NSDI 2024), baseline of its public code",
		Needs:    MigratingPipelines,
		Defaults: func() sim.Policy { return parcae.NewThroughputOptimal() },
	})
	Register(Info{
		Name:     "ideal-no-overhead",
		Doc:      "the fastest layout for its present instances, changed at no cost: a bound",
		Source:   "Parcae (NSDI 2024), Ideal of its public code",
		Needs:    MigratingPipelines,
		Defaults: func() sim.Policy { return parcae.NewIdealNoOverhead() },
	})
}

// What the authors' experiments have (repository skypilot-spot-strategy), where a
// changeover takes 6 minutes; here it is that of the job.
const poll = 10 * time.Minute

func init() {
	Register(Info{
		Name:       "greedy",
		Doc:        "on spot whenever available, on-demand when the remaining time is only just enough",
		Source:     "Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      OneType,
		Defaults:   func() sim.Policy { return &deadline.Greedy{Poll: poll} },
	})
	Register(Info{
		Name:       "time-sliced",
		Doc:        "greedy in each slice of the time",
		Source:     "Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      OneType,
		Defaults:   func() sim.Policy { return &deadline.TimeSliced{Poll: poll, Slices: 8} },
	})
	Register(Info{
		Name:       "uniform-progress",
		Doc:        "on-demand when behind steady progress, else on spot",
		Source:     "Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      OneType,
		Defaults:   func() sim.Policy { return &deadline.UniformProgress{Poll: poll, Hysteresis: 2} },
	})
	Register(Info{
		Name:       "skynomad",
		Doc:        "trains where an hour of progress is worth most more than it costs, by what it saw of each zone; on demand when late",
		Source:     "SkyNomad (NSDI 2027), with the world's boots, losses and moves",
		ByDeadline: true,
		Needs:      WorkerModels,
		Defaults:   func() sim.Policy { return skynomad.NewPolicy() },
	})
	Register(Info{
		Name:       "uniform-progress-s",
		Doc:        "uniform progress over zones: spot in the cheapest that has some, those of another region first",
		Source:     "UP(S) of SkyNomad (NSDI 2027)",
		ByDeadline: true,
		Needs:      WorkerModels,
		Defaults:   func() sim.Policy { return &skynomad.Switching{Instances: 1, Poll: poll} },
	})
	Register(Info{
		Name:       "uniform-progress-a",
		Doc:        "uniform progress over zones: spot where the last looks found some",
		Source:     "UP(A) of SkyNomad (NSDI 2027)",
		ByDeadline: true,
		Needs:      WorkerModels,
		Defaults:   func() sim.Policy { return &skynomad.Available{Instances: 1, Poll: poll, Probe: 2 * time.Hour} },
	})
	Register(Info{
		Name:       "uniform-progress-ap",
		Doc:        "uniform progress over zones: spot where it was found most often for its price",
		Source:     "UP(AP) of SkyNomad (NSDI 2027)",
		ByDeadline: true,
		Needs:      WorkerModels,
		Defaults:   func() sim.Policy { return &skynomad.AvailablePerUSD{Instances: 1, Poll: poll, Probe: time.Hour} },
	})
}
