package policies

import (
	"time"

	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

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
