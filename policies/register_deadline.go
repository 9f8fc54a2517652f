package policies

import (
	"time"

	"github.com/marigram/marigram/policies/deadline"
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
}
