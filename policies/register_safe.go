package policies

import (
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

func init() {
	Register(Info{
		Name:   "spotdnn-safe",
		Doc:    "spotdnn while on demand alone could still meet the deadline, then on demand: meets the deadline whatever spot does",
		Source: "marigram; the rule of a point of no return as in Can't Be Late (NSDI 2024)",
		Needs:  WorkerModels,
		Defaults: func() sim.Policy {
			p := safe.New(newSpotDNN("", nil))
			p.As = "spotdnn-safe"
			return p
		},
	})
}
