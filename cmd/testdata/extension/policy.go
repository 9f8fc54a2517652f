package main

import (
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// few holds a few instances of the first pool.
type few struct {
	Instances int `set:"instances" min:"1" max:"64" doc:"how many to hold"`
}

func init() {
	policies.Register(policies.Info{
		Name:     "few",
		Doc:      "holds a few instances of the first pool",
		Source:   "mine",
		Needs:    policies.AnyModel,
		Defaults: func() sim.Policy { return &few{Instances: 1} },
	})
}

func (*few) Name() string { return "few" }

func (f *few) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if v.Job(j).Active() {
			plan.Jobs[j].Hold[0] = f.Instances
		}
	}
}
