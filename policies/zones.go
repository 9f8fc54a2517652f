package policies

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// moveRequests moves requests that have waited too long to the next pool of their type that has headroom.
func moveRequests(v sim.View, j int, patience time.Duration, plan *sim.Plan) {
	plan.WakeIn(patience)
	if requestsAll(v, j, plan) {
		return
	}
	tooLong := v.Now().Add(-patience) // since then, or before
	left := v.Job(j).Waiting()
	for p := 0; left > 0; p++ {
		n, since := v.Waiting(j, p)
		left -= n
		if n == 0 || since > tooLong {
			continue
		}
		for k := 1; k < v.Pools(); k++ {
			if tryMove(v, j, p, (p+k)%v.Pools(), n, plan) {
				break
			}
		}
	}
}

// requestsAll reports whether job j requests the whole quota of every spot pool: none of its requests can move.
func requestsAll(v sim.View, j int, plan *sim.Plan) bool {
	for p, n := range plan.Jobs[j].Hold {
		pool := v.Pool(p)
		if !pool.OnDemand && n < pool.Quota {
			return false
		}
	}
	return true
}

// tryMove moves up to n requests from pool p to pool q, and reports whether it moved any.
func tryMove(v sim.View, j, p, q, n int, plan *sim.Plan) bool {
	hold := plan.Jobs[j].Hold
	if !sameType(v, p, q) {
		return false
	}
	n = min(n, policyutil.Headroom(v, plan, j, q)+v.Held(j, q).Active()-hold[q])
	if n <= 0 {
		return false
	}
	hold[p] -= n
	hold[q] += n
	plan.SetReason("requests move to the next zone")
	return true
}

// sameType reports whether both are spot pools of one instance type.
func sameType(v sim.View, p, q int) bool {
	first := v.Pool(p)
	second := v.Pool(q)
	return !first.OnDemand && !second.OnDemand && first.InstanceType == second.InstanceType
}

func isFirstOfType(v sim.View, p int) bool {
	for q := range p {
		if sameType(v, p, q) {
			return false
		}
	}
	return true
}
