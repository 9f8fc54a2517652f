package policies

import (
	"time"

	"github.com/marigram/marigram/policies/oobleck"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/sim"
)

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
	Register(Info{
		Name:     "oobleck",
		Doc:      "every instance trains, in pipelines of different sizes that are refilled from replicas",
		Source:   "Oobleck (SOSP 2023)",
		Needs:    ReplicatedPipelines,
		Defaults: func() sim.Policy { return &oobleck.Oobleck{Interval: time.Hour, Grow: true} },
	})
}
