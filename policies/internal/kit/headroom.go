package kit

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Headroom returns how many more instances of pool p the quota leaves to job j
// beside those that come or run, those under notice, and the other jobs' plans.
func Headroom(v sim.View, plan *sim.Plan, j, p int) int {
	free := v.Pool(p).Quota
	for k := range v.Jobs() {
		h := v.Held(k, p)
		free -= h.Noticed
		if k == j {
			free -= h.Active()
		} else {
			free -= plan.Jobs[k].Hold[p]
		}
	}
	return max(free, 0)
}

// WithinPatience reports whether no request of job j has waited for patience, and has
// the policy asked again when one will have.
func WithinPatience(v sim.View, j int, patience time.Duration, plan *sim.Plan) bool {
	job := v.Job(j)
	if patience == 0 || job.Waiting() == 0 {
		return true
	}
	left := patience - v.Now().Sub(job.WaitingSince())
	if left > 0 {
		plan.WakeIn(left)
	}
	return left > 0
}

// Overdue reports whether requests of job j have waited in pool p for patience.
func Overdue(v sim.View, j, p int, patience time.Duration) bool {
	n, since := v.Waiting(j, p)
	return patience > 0 && n > 0 && v.Now().Sub(since) >= patience
}
