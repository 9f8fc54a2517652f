package launchers

import (
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// sizeOf returns on how many instances job j trains: as a setting says, or where that is 0 on as many as its model
// uses, if a pool has so many; of pools on demand only where the policy uses them.
func sizeOf(v sim.View, j, setting int, onDemand bool) int {
	largest := 0
	for p := range v.Pools() {
		if pool := v.Pool(p); onDemand || !pool.OnDemand {
			largest = max(largest, pool.Quota)
		}
	}
	return sizeWithin(v, j, setting, largest)
}

// sizeWithin returns what a setting says, or where that is 0 as many instances as the model of job j uses, of so many
// that there may be.
func sizeWithin(v sim.View, j, setting, quota int) int {
	if setting > 0 {
		return setting
	}
	return min(policyutil.Pipelines(v, j).MaxUseful(), max(quota, 1))
}

// train lays job j out on n instances: with fewer it does not train, more wait.
func train(v sim.View, j, n int, plan *sim.Plan) {
	plan.Jobs[j].Pipelines, plan.Jobs[j].Stages = policyutil.Pipelines(v, j).Best(n)
}

// idleOn has job j train on nothing, whatever it holds: the layout has more places than there are instances.
func idleOn(v sim.View, j int, plan *sim.Plan) {
	places := 1
	for p := range v.Pools() {
		places += v.Pool(p).Quota
	}
	plan.Jobs[j].Pipelines = places
	plan.Jobs[j].Stages = 1
}

// mostOf is sizeOf for a job that trains on instances of all spot pools.
func mostOf(v sim.View, j, setting int) int {
	all := 0
	for p := range v.Pools() {
		if pool := v.Pool(p); !pool.OnDemand {
			all += pool.Quota
		}
	}
	return sizeWithin(v, j, setting, all)
}
