package policyutil

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Headroom returns how many more instances of pool p job j can hold within the
// quota, beside those that it has (starting, ready or under notice) and those that
// other jobs plan to hold.
func Headroom(v sim.View, plan *sim.Plan, j, p int) int {
	free := v.Pool(p).Quota
	for _, k := range v.ActiveJobs() {
		h := v.Held(k, p)
		free -= h.Noticed
		if k == j {
			free -= h.Active()
		} else {
			free -= plan.Jobs[k].Hold[p]
		}
	}
	for i := range v.Limits() {
		free = min(free, shared(v, plan, j, p, &v.Limits()[i]))
	}
	return max(free, 0)
}

// shared returns how many more instances of pool p a quota over several pools leaves to job
// j, which keeps what it asks for of the others.
func shared(v sim.View, plan *sim.Plan, j, p int, l *sim.Limit) int {
	if !slices.Contains(l.Pools, p) {
		return math.MaxInt
	}
	free := l.Instances - v.Held(j, p).Active()
	for _, q := range l.Pools {
		for k := range v.Jobs() {
			free -= v.Held(k, q).Noticed
			if k != j || q != p {
				free -= plan.Jobs[k].Hold[q]
			}
		}
	}
	return free
}

// WithinPatience reports whether no request of job j has waited as long as
// patience, and wakes the policy when one will have. A patience of 0 has no end.
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

// WakeOverdue asks to be asked again when a request of job j, one of this plan too, has waited as
// long as patience; never if that is 0. Who makes requests says it: nothing else may happen until then.
func WakeOverdue(j int, patience time.Duration, plan *sim.Plan) {
	if patience > 0 {
		plan.WakeWhen(sim.Waited(j, patience))
	}
}

// AnyOverdue reports whether requests of job j have waited as long as patience; never if that is 0.
func AnyOverdue(v sim.View, j int, patience time.Duration) bool {
	job := v.Job(j)
	return patience > 0 && job.Waiting() > 0 && v.Now().Sub(job.WaitingSince()) >= patience
}

// Overdue reports whether requests of job j in pool p have waited as long as
// patience; never if that is 0.
func Overdue(v sim.View, j, p int, patience time.Duration) bool {
	n, since := v.Waiting(j, p)
	return patience > 0 && n > 0 && v.Now().Sub(since) >= patience
}
