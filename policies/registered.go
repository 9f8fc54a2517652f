package policies

import (
	"time"

	"github.com/marigram/marigram/policies/clairvoyant"
	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

func init() {
	registerByDeadline("spotdnn while on demand alone could still meet the deadline, then on demand: "+safe.Promise,
		"marigram; point of no return as in Can't Be Late (NSDI 2024)", WorkerModels,
		func() sim.Policy { return newSafe() })
	register("the cheapest clusters on demand, now and later, that meet the objective",
		"marigram; the plan one-cluster is the baseline On-demand of spotDNN (IWQoS 2023)", AnyModel,
		func() sim.Policy { return ondemand.New() })
	registerByDeadline("plans ahead by a Markov decision process of the market that it believes in; "+safe.Promise,
		"marigram; after Bellman (1957), with a law that is learnt", MixedPools,
		func() sim.Policy { return mdp.New() })
	registerByDeadline("an oracle: the cheapest schedule found, with all prices, capacity and boots known in advance",
		"marigram; dynamic programming on what the bound finds", ServerModels,
		func() sim.Policy {
			reactive := &Reactive{Patience: 5 * time.Minute}
			bases := []sim.Policy{ondemand.New(), reactive, newSpotDNN("", nil), newSafe(), mdp.New()}
			return &clairvoyant.Policy{Bases: bases}
		})
}

func init() {
	register("cheapest cluster by bounds and a sliding window; plans again at every notice",
		"spotDNN (IWQoS 2023), Algorithm 1", WorkerModels,
		func() sim.Policy { return newSpotDNN("", nil) })
	register("spotdnn with a model in which workers do not slow each other down",
		"spotDNN (IWQoS 2023), baseline CM-DARE+", ServerModels,
		func() sim.Policy { return newSpotDNN("cmdare+", &spotdnn.Uncontended{}) })
	register("spotdnn with the cheapest of all clusters, by exhaustive search",
		"spotDNN (IWQoS 2023), baseline Srifty+", WorkerModels,
		func() sim.Policy { return newSpotDNN("srifty+", &spotdnn.Exhaustive{}) })
}

// newSpotDNN returns spotDNN with its paper's settings, or a baseline of it.
func newSpotDNN(baseline string, strategy spotdnn.Strategy) *spotdnn.SpotDNN {
	return &spotdnn.SpotDNN{
		OverPrediction: 0.03,
		Overhead:       30 * time.Second,
		Poll:           15 * time.Second,
		Patience:       2 * time.Minute,
		Baseline:       baseline,
		Strategy:       strategy,
	}
}

// newSafe returns spotDNN with a net: spotdnn-safe.
func newSafe() *safe.Safe {
	p := safe.New(newSpotDNN("", nil))
	p.As = "spotdnn-safe"
	return p
}

func init() {
	register("plans the layouts of the next minutes from a forecast of the instances, and migrates live",
		"Parcae (NSDI 2024)", MigratingPipelines,
		func() sim.Policy { return parcae.New() })
	register("parcae with perfect forecasts: an oracle",
		"Parcae (NSDI 2024), Parcae (Ideal)", MigratingPipelines,
		func() sim.Policy { return parcae.NewIdeal() })
	register("parcae-reactive at lower cost: gives back instances of little use, and leaves places late",
		"ours, after Parcae (NSDI 2024)", MigratingPipelines,
		func() sim.Policy { return parcae.NewRobust() })
	register("migrates live to the fastest layout for its present instances",
		"Parcae (NSDI 2024), Parcae-Reactive", MigratingPipelines,
		func() sim.Policy { return parcae.NewReactive() })
	register("restarts in the fastest layout for its present instances",
		"Parcae (NSDI 2024), baseline of its public code", MigratingPipelines,
		func() sim.Policy { return parcae.NewThroughputOptimal() })
	register("the fastest layout for its present instances, changed at no cost: a bound",
		"Parcae (NSDI 2024), Ideal of its public code", MigratingPipelines,
		func() sim.Policy { return parcae.NewIdealNoOverhead() })
}

// What the authors' experiments have (repository skypilot-spot-strategy), where a
// changeover takes 6 minutes; here it is that of the job.
const poll = 10 * time.Minute

func init() {
	registerByDeadline("on spot whenever available, on demand when the remaining time is only just enough",
		"Can't Be Late (NSDI 2024)", OneType,
		func() sim.Policy { return &deadline.Greedy{Settings: deadline.Settings{Poll: poll}} })
	registerByDeadline("greedy in each slice of the time",
		"Can't Be Late (NSDI 2024)", OneType,
		func() sim.Policy { return &deadline.TimeSliced{Settings: deadline.Settings{Poll: poll}, Slices: 8} })
	registerByDeadline("on demand when behind steady progress, else on spot",
		"Can't Be Late (NSDI 2024)", OneType,
		func() sim.Policy {
			return &deadline.UniformProgress{Settings: deadline.Settings{Poll: poll}, Hysteresis: 2}
		})
	registerByDeadline("trains where an hour of progress is worth most more than it costs, "+
		"by what it saw of each zone; on demand when late",
		"SkyNomad (NSDI 2027), with the world's boots, losses and moves", WorkerModels,
		func() sim.Policy { return skynomad.NewPolicy() })
}
