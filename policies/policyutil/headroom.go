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
	for _, job := range v.ActiveJobs() {
		held := v.Held(job, p)
		free -= held.Noticed
		if job == j {
			free -= held.Active()
		} else {
			free -= plan.Jobs[job].Hold[p]
		}
	}
	for i := range v.Limits() {
		free = min(free, sharedHeadroom(v, plan, j, p, &v.Limits()[i]))
	}
	return max(free, 0)
}

// sharedHeadroom returns how many more instances of pool p a quota over several pools leaves to job
// j, which keeps what it asks for of the others.
func sharedHeadroom(v sim.View, plan *sim.Plan, j, p int, limit *sim.Limit) int {
	if !slices.Contains(limit.Pools, p) {
		return math.MaxInt
	}
	free := limit.Instances - v.Held(j, p).Active()
	for _, pool := range limit.Pools {
		for job := range v.Jobs() {
			free -= v.Held(job, pool).Noticed
			if job != j || pool != p {
				free -= plan.Jobs[job].Hold[pool]
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

// Refused reports whether pool p counts as full for job j: its requests have waited as long as patience, or they were
// withdrawn, and the job has had some request waiting ever since and does not train. That keeps two full pools from
// hiding a third: a policy that goes on to the next pool would forget at once that the one before was full. Never if
// patience is 0.
func Refused(v sim.View, j, p int, patience time.Duration) bool {
	if patience == 0 {
		return false
	}
	if n, since := v.Waiting(j, p); n > 0 {
		return v.Now().Sub(since) >= patience
	}
	job := v.Job(j)
	if job.Training() {
		return false
	}
	unmet := job.UnmetSince()
	refused := v.Seen(p).RefusedAt
	return unmet != sim.Never && refused != sim.Never && refused > unmet
}

// MuchMore is how many times as much as with all pools another cluster may cost that is requested at once where pools
// are full (Insists).
const MuchMore = 1.1

// Insists reports whether job j asks cheap pools that are full again and again, where all others cost much more: while
// its requests have waited for less than a patience for each pool. A short outage would else lead to an expensive pool
// for good.
func Insists(v sim.View, j int, patience time.Duration) bool {
	unmet := v.Job(j).UnmetSince()
	return unmet == sim.Never || v.Now().Sub(unmet) < time.Duration(usablePools(v))*patience
}

// usablePools counts the pools that have a quota: what depends on pools that nobody can use would change with them.
func usablePools(v sim.View) int {
	n := 0
	for p := range v.Pools() {
		if v.Pool(p).Quota > 0 {
			n++
		}
	}
	return n
}

// LongestRefused returns which of some pools that are full (Refused), and that nobody asks now, was asked the longest
// time ago: the next to be asked where all are full; -1 of no pools.
func LongestRefused(v sim.View, pools []int) int {
	longest := -1
	first := sim.Never
	for _, p := range pools {
		if asked := v.Seen(p).RefusedAt; longest < 0 || asked < first {
			longest = p
			first = asked
		}
	}
	return longest
}

// Overdue reports whether requests of job j in pool p have waited as long as
// patience; never if that is 0.
func Overdue(v sim.View, j, p int, patience time.Duration) bool {
	n, since := v.Waiting(j, p)
	return patience > 0 && n > 0 && v.Now().Sub(since) >= patience
}
