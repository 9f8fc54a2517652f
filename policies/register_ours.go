package policies

import (
	"time"

	"github.com/marigram/marigram/policies/clairvoyant"
	"github.com/marigram/marigram/policies/mdp"
	"github.com/marigram/marigram/policies/ondemand"
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
