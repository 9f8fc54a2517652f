// Package policy has the policy steady.
package policy

import (
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

func init() {
	policies.Register(policies.Info{
		Name:     "steady",
		Doc:      "a number of instances in the cheapest spot pool, replaced when they are lost",
		Source:   "this module",
		Needs:    policies.WorkerModels,
		Defaults: func() sim.Policy { return &Steady{Instances: 2} },
	})
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
		held := v.Held(j, best)
		free := held.Active() + policyutil.Headroom(v, plan, j, best)
		plan.Jobs[j].Hold[best] = min(max(s.Instances-held.Noticed, 0), free) // replaced when they are gone
		plan.SetReason("steady")
	}
}
