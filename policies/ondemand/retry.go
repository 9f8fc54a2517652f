package ondemand

import "github.com/marigram/marigram/sim"

// RetryPrefix stands before the name of a base policy in the name of its form that counts losses.
const RetryPrefix = "retry:"

// Retry lets Base decide until the cloud has taken ready instances of a job at a number of instants
// (sim.JobView.Losses; several at one instant count once). Then it trains on demand alone, by the schedule of OnDemand,
// or the job is given up. Where both limits are reached at once, it is given up.
type Retry struct {
	Base sim.Policy

	AfterLosses int `set:"after_losses" min:"0" max:"1000000" doc:"number of losses (instants at which ready instances were taken) after which the job trains on demand alone; 0 is no limit"`
	GiveUpAfter int `set:"give_up_after" min:"0" max:"1000000" doc:"number of losses after which the job ends unfinished; 0 is no limit"`

	onDemand *OnDemand
}

// NewRetry returns a form of a policy that counts losses, without limits.
func NewRetry(base sim.Policy) *Retry { return &Retry{Base: base, onDemand: New()} }

// Name implements sim.Policy.
func (r *Retry) Name() string { return RetryPrefix + r.Base.Name() }

// Unwrap returns the policy within.
func (r *Retry) Unwrap() sim.Policy { return r.Base }

// Traits implements sim.Policy: those of the base.
func (r *Retry) Traits() sim.Traits { return sim.TraitsOf(r.Base) }

// NeedsOnDemand reports whether instances on demand have to exist.
func (r *Retry) NeedsOnDemand() bool {
	needs, says := r.Base.(interface{ NeedsOnDemand() bool })
	return r.AfterLosses > 0 || says && needs.NeedsOnDemand()
}

// Decide implements sim.Policy. The base is asked as long as it has a job.
func (r *Retry) Decide(v sim.View, plan *sim.Plan) {
	baseDecides := false
	for _, j := range v.ActiveJobs() {
		baseDecides = baseDecides || !r.over(v, j)
	}
	if baseDecides {
		r.Base.Decide(v, plan)
	}
	for _, j := range v.ActiveJobs() {
		losses := v.Job(j).Losses()
		plan.AddInput("losses", float64(losses), "")
		switch {
		case reached(losses, r.GiveUpAfter):
			job := &plan.Jobs[j]
			clear(job.Hold)
			job.Servers = 0
			job.Done = true
			job.GivenUp = true
			plan.SetReason("given up after the losses that are allowed")
		case reached(losses, r.AfterLosses):
			r.switchOver(v, j, plan)
		}
	}
}

// over reports whether job j is not the base's any more.
func (r *Retry) over(v sim.View, j int) bool {
	n := v.Job(j).Losses()
	return reached(n, r.GiveUpAfter) || reached(n, r.AfterLosses)
}

// reached reports whether a number of losses reaches a limit, which is none if it is 0.
func reached(losses, limit int) bool { return limit > 0 && losses >= limit }

// switchOver has job j train on demand, and gives what it has on spot back.
func (r *Retry) switchOver(v sim.View, j int, plan *sim.Plan) {
	job := &plan.Jobs[j]
	job.Save = false
	for p := range job.Hold {
		if !v.Pool(p).OnDemand {
			job.Hold[p] = 0
		}
	}
	r.onDemand.decide(v, j, plan)
	r.onDemand.saver.SaveOnDemand(v, j, plan)
}
