package policies

import (
	"github.com/marigram/marigram/policies/rollout"
	"github.com/marigram/marigram/policies/safe"
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
}
