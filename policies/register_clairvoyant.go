package policies

import (
	"time"

	"github.com/marigram/marigram/policies/clairvoyant"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

func init() {
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
