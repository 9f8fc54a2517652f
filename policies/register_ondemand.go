package policies

import (
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

func init() {
	Register(Info{
		Name:     "ondemand",
		Doc:      "the cheapest clusters on demand, now and later, that meet the objective: never interrupted",
		Source:   "marigram; the plan one-cluster is the baseline On-demand of spotDNN (IWQoS 2023)",
		Needs:    AnyModel,
		Defaults: func() sim.Policy { return ondemand.New() },
	})
}
