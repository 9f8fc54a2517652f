package policies

import (
	"time"

	"github.com/marigram/marigram/policies/oobleck"
	"github.com/marigram/marigram/sim"
)

func init() {
	Register(Info{
		Name:     "oobleck",
		Doc:      "every instance trains, in pipelines of different sizes that are refilled from replicas",
		Source:   "Oobleck (SOSP 2023)",
		Needs:    ReplicatedPipelines,
		Defaults: func() sim.Policy { return &oobleck.Oobleck{Interval: time.Hour, Grow: true} },
	})
}
