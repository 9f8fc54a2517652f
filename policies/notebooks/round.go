package notebooks

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// round is one decision.
type round struct {
	*Pool
	*state
	v    sim.View
	plan *sim.Plan
	j    int
	now  sim.Time

	again bool // the policy is asked again at this instant
}

func (r *round) askAgain() {
	r.again = true
	r.plan.AskAgain()
}

// over reports whether all sessions are over and all cells have run.
func (r *round) over() bool {
	return r.now >= r.last && len(r.queue) == 0 && len(r.busy) == 0 && r.upcoming() == sim.Never && r.now > r.from
}

// maxIdle returns the host with most idle GPUs that has n, of those with the numbers; of
// all if there are none. -1 if there is none.
func (r *round) maxIdle(gpus int, of []int) int {
	best := -1
	for k := range r.hosts {
		if h := &r.hosts[k]; h.takes(r.now) && h.idle >= gpus && (best < 0 || h.idle > r.hosts[best].idle) && (of == nil || slices.Contains(of, h.number)) {
			best = k
		}
	}
	return best
}
