package policies

import (
	"time"

	"github.com/marigram/marigram/policies/deadline"
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
)

// What the authors' experiments have (repository skypilot-spot-strategy), where a
// changeover takes 6 minutes; here it is that of the job.
const poll = 10 * time.Minute

func init() {
	Register(Info{
		Name:       "greedy",
		Doc:        "on spot whenever available, on-demand when the remaining time is only just enough",
		Source:     "Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      OneType,
		Defaults:   func() sim.Policy { return &deadline.Greedy{Poll: poll} },
	})
	Register(Info{
		Name:       "time-sliced",
		Doc:        "greedy in each slice of the time",
		Source:     "Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      OneType,
		Defaults:   func() sim.Policy { return &deadline.TimeSliced{Poll: poll, Slices: 8} },
	})
	Register(Info{
		Name:       "uniform-progress",
		Doc:        "on-demand when behind steady progress, else on spot",
		Source:     "Can't Be Late (NSDI 2024)",
		ByDeadline: true,
		Needs:      OneType,
		Defaults:   func() sim.Policy { return &deadline.UniformProgress{Poll: poll, Hysteresis: 2} },
	})
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
