package policyutil

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Reconfigure lays job j out on its ready instances in the layout that is fastest
// by its model: at once where the present layout cannot train, and to grow once the
// last pause is settle ago.
func Reconfigure(v sim.View, j int, settle time.Duration, plan *sim.Plan) {
	job, p := v.Job(j), &plan.Jobs[j]
	d, s := Pipelines(v, j).Best(job.Layout().Total())
	if d == p.Pipelines && s == p.Stages {
		return
	}
	now := job.Layout()
	able := p.Stages > 0 && now.Total() >= p.Pipelines*p.Stages-int(now.Holes)
	if able && job.Begun() {
		if wait := settle - v.Now().Sub(job.Resumed()); wait > 0 || !job.Training() {
			if wait > 0 {
				plan.WakeIn(wait)
			}
			ExplainChange(v, j, d, s, false, "not yet: the last pause is too recent", plan)
			return
		}
	}
	ExplainChange(v, j, d, s, true, "", plan)
	p.Pipelines, p.Stages = d, s
	plan.AskAgain() // it trains then, or is paused: the next save is planned
	plan.SetReason("the fastest layout of those that are ready")
}
