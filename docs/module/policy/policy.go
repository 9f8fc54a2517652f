// Package policy has the policy steady.
package policy

import (
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	policies.Register(policies.Info{Name: "steady", Doc: "a number of instances in the cheapest spot pool, replaced when they are lost", Source: "this module",
		Needs: policies.WorkerModels, Defaults: func() sim.Policy { return &Steady{Instances: 2} }})
}

// Steady holds a number of instances in the spot pool that is the cheapest when it begins.
type Steady struct {
	Instances int `set:"instances" min:"1" max:"64" doc:"number of instances"`
}

// Name implements sim.Policy.
func (*Steady) Name() string { return "steady" }

// Decide implements sim.Policy. What it decides is a function of what it sees: it stays where the job has
// or wants instances.
func (s *Steady) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		best := -1
		for p := range v.Pools() {
			switch pool := v.Pool(p); {
			case pool.OnDemand:
			case plan.Jobs[j].Hold[p] > 0:
				best = p
			case best < 0 || plan.Jobs[j].Hold[best] == 0 && v.Price(p) < v.Price(best):
				best = p
			}
		}
		if best < 0 {
			continue // there is no spot
		}
		clear(plan.Jobs[j].Hold)
		plan.Jobs[j].Hold[best] = min(max(s.Instances-v.Held(j, best).Noticed, 0), s.free(v, plan, best)) // replaced when they are gone
		plan.SetReason("steady")
	}
}

// free returns what the quota of a pool leaves for one more job: instances under notice count until they
// are gone, and so does what other jobs are to hold.
func (*Steady) free(v sim.View, plan *sim.Plan, pool int) int {
	free := v.Pool(pool).Quota
	for _, j := range v.ActiveJobs() {
		free -= v.Held(j, pool).Noticed + plan.Jobs[j].Hold[pool]
	}
	return max(free, 0)
}
