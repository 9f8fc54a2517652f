package rollout

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

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
	const events = sim.TriggerStart | sim.TriggerGrant | sim.TriggerNotice | sim.TriggerGone
	return v.Trigger()&events != 0 || v.Now().Sub(v.Start())%r.Every == 0
}

// explain tells a recorder what was tried, and what came of it.
func (r *Rollout) explain(v sim.View, plan *sim.Plan, best int) {
	if !plan.Recorded() {
		return
	}
	plan.AddInput("imagined futures", float64(r.Futures), "")
	for i := range r.choices {
		x := &r.choices[i]
		note := fmt.Sprintf("meets the objective in %d of %d futures", x.met, x.n)
		if i > 0 {
			note += fmt.Sprintf(", %+.2f USD +- %.2f against the base", x.mean(), x.error())
		}
		plan.AddCandidate(sim.Candidate{
			Name:   x.name,
			Score:  x.total / float64(max(x.n, 1)),
			Unit:   "USD",
			Note:   note,
			Chosen: i == best,
		})
	}
}
