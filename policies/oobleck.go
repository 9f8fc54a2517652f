package policies

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Oobleck trains on every ready instance, in pipelines of different sizes that are
// instantiated again from replicas after a loss (Jang et al., "Oobleck", SOSP
// 2023). The speed of n instances is the model's; below the smallest number
// in its table, (f+1) n0, the job stops.
type Oobleck struct {
	Instances int           `set:"instances" min:"0" max:"65536" holds:"all" doc:"maximum number of instances; 0 takes as many as the model can use"`
	Interval  time.Duration `set:"interval_s" min:"0" max:"604800" doc:"time between saves, for the loss of all replicas of a stage; 0 makes none"`
	Grow      bool          `set:"grow" doc:"use new instances at once, not at the next loss as in its artifact"`
}

func init() {
	register("every instance trains, in pipelines of different sizes that are refilled from replicas",
		"Oobleck (SOSP 2023)", ReplicatedPipelines,
		func() sim.Policy { return &Oobleck{Interval: time.Hour, Grow: true} })
}

// Name implements sim.Policy.
func (*Oobleck) Name() string { return "oobleck" }

// Decide implements sim.Policy.
func (o *Oobleck) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if !v.Job(j).Active() {
			continue
		}
		model := policyutil.Pipelines(v, j)
		policyutil.RequestSpot(v, j, policyutil.MaxInstances(o.Instances, model), plan)
		if o.Interval > 0 {
			policyutil.KeepSaved(v, j, o.Interval, false, plan)
		}
		n := v.Job(j).Layout().Total()
		jobPlan := &plan.Jobs[j]
		trains := jobPlan.Stages > 0 && n >= jobPlan.Pipelines*jobPlan.Stages
		if trains && !o.Grow && v.Trigger()&sim.TriggerGone == 0 {
			continue
		}
		pipelines, stages := model.Best(n)
		if takeLayout(v, j, pipelines, stages, plan) {
			plan.SetReason("templates for those that are ready")
		}
	}
}
