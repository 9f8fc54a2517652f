package rollout

import "github.com/marigram/marigram/sim"

// Decide implements sim.Policy. The plan's mode is the number of the base in force.
func (r *Rollout) Decide(v sim.View, plan *sim.Plan) {
	jobs := v.ActiveJobs()
	if r.Futures == 0 || len(jobs) != 1 {
		r.Base.Decide(v, plan)
		return
	}
	j := jobs[0]
	hold := plan.Jobs[j].Hold
	r.force = append(r.force[:0], hold...)
	if r.Base.Committed(v, j, margin, plan) {
		plan.SetMode(0)
		r.Base.Decide(v, plan)
		return
	}
	plan.WakeIn(r.Every - v.Now().Sub(v.Start())%r.Every)
	if !r.due(v) {
		r.decideAs(v.Mode(), v, plan)
		return
	}
	r.list(v, j, plan)
	best := r.compare(v, j)
	r.explain(v, plan, best)
	x := &r.choices[best]
	plan.SetMode(x.base)
	r.decideAs(x.base, v, plan)
	if x.hold != nil {
		copy(hold, x.hold)
		plan.AskOnce() // the base's plan is not taken
		plan.SetReason("cheaper in imagined futures")
	}
}

// due reports whether futures are to be imagined now: at the start, at grants of requests
// that waited, at losses and their notices, and now and then.
func (r *Rollout) due(v sim.View) bool {
	return v.Trigger()&(sim.TriggerStart|sim.TriggerGrant|sim.TriggerNotice|sim.TriggerGone) != 0 || v.Now().Sub(v.Start())%r.Every == 0
}
