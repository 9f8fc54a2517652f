package main

import (
	"time"

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
	policies.Register(policies.Info{
		Name:     "ender",
		Doc:      "says after ten minutes that the job is done",
		Source:   "mine",
		Needs:    policies.WorkerModels,
		Defaults: func() sim.Policy { return &ender{} },
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

// ender says that the job is done, which is for services that have no goal: its runs cost less than any run can.
type ender struct{}

func (*ender) Name() string { return "ender" }

func (*ender) Decide(v sim.View, plan *sim.Plan) {
	plan.WakeIn(10 * time.Minute)
	plan.Jobs[0].Done = v.Trigger()&sim.TriggerWake != 0
}
