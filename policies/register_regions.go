package policies

import (
	"time"

	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
)

func init() {
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
