package plugin

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Agent is a policy whose decisions come from outside, a step at a time (package gym): it holds what it was given last,
// requests again what it loses, lays a pipeline out on what is ready, and saves as marigram's own clusters do. The zero
// value but for Step is ready.
type Agent struct {
	Step time.Duration // it is asked at least so often, on a grid from the start of the run
	Hold []int         // instances by pool; nil: none

	tender policyutil.LossSaver
}

// Name implements sim.Policy.
func (*Agent) Name() string { return "agent" }

// Decide implements sim.Policy.
func (a *Agent) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		clear(plan.Jobs[j].Hold)
		copy(plan.Jobs[j].Hold, a.Hold)
		a.tender.Tend(v, j, plan)
	}
	plan.WakeIn(a.Step - v.Now().Sub(v.Start())%a.Step)
}
