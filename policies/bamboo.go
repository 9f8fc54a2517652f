package policies

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Bamboo trains through losses: the predecessor of a lost stage does its work until
// the pipelines are reconfigured (Thorpe et al., "Bamboo", NSDI 2023). That happens
// when spares can fill all holes, when the share of instances whose loss would be
// fatal is above a bound, or when there are enough instances for one more pipeline,
// as in its simulator.
type Bamboo struct {
	Instances   int           `set:"instances" min:"0" max:"65536" holds:"all" doc:"maximum number of instances; 0 takes as many as the model can use"`
	Risk        float64       `set:"risk" min:"0" max:"1" doc:"share of instances at risk above which the pipelines are reconfigured"`
	Interval    time.Duration `set:"interval_s" min:"0" max:"604800" doc:"time between saves, for fatal failures; 0 makes none"`
	AcrossZones bool          `set:"across_zones" doc:"place consecutive stages in different zones"`
}

func init() {
	register("redundant computation: neighbours do the work of lost stages until the pipelines are reconfigured",
		"Bamboo (NSDI 2023)", CoveredPipelines,
		func() sim.Policy { return &Bamboo{Risk: 0.05, Interval: time.Hour, AcrossZones: true} })
}

// Name implements sim.Policy.
func (*Bamboo) Name() string { return "bamboo" }

// Decide implements sim.Policy.
func (b *Bamboo) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if v.Job(j).Active() {
			b.decide(v, j, plan)
		}
	}
}

func (b *Bamboo) decide(v sim.View, j int, plan *sim.Plan) {
	jobPlan := &plan.Jobs[j]
	model := policyutil.Pipelines(v, j)
	policyutil.RequestSpot(v, j, policyutil.MaxInstances(b.Instances, model), plan)
	if b.Interval > 0 {
		policyutil.KeepSaved(v, j, b.Interval, false, plan)
	}
	jobPlan.AcrossZones = b.AcrossZones
	layout := v.Job(j).Layout()
	holes := int(layout.Holes)
	places := jobPlan.Pipelines * jobPlan.Stages
	active := places - holes
	spares := layout.Total() - active
	risk := 2 * float64(holes) / float64(active)
	pipelines, stages := model.Best(layout.Total())
	if jobPlan.Stages == 0 || spares < 0 || pipelines*stages > places {
		takeLayout(v, j, pipelines, stages, plan)
		plan.SetReason("the fastest layout of those that are ready")
		return
	}
	if holes == 0 {
		return
	}
	if spares < holes && !(risk > b.Risk) {
		b.explainHoles(v, j, 0, 0, spares, risk, plan)
		return
	}
	b.explainHoles(v, j, pipelines, stages, spares, risk, plan)
	jobPlan.Pipelines = pipelines
	jobPlan.Stages = stages
	jobPlan.Refill = true
	plan.AskAgain()
	plan.SetReason("fill the holes")
}

// takeLayout changes the layout of a job, if it is another, and reports whether it is.
func takeLayout(v sim.View, j, pipelines, stages int, plan *sim.Plan) bool {
	jobPlan := &plan.Jobs[j]
	if pipelines == jobPlan.Pipelines && stages == jobPlan.Stages {
		return false
	}
	policyutil.ExplainChange(v, j, pipelines, stages, true, "", plan)
	jobPlan.Pipelines = pipelines
	jobPlan.Stages = stages
	plan.AskAgain() // to plan the next save
	return true
}

// explainHoles tells a recorder of the two choices: to continue with holes, or to
// fill them with pipelines of n stages. With 0 pipelines the holes stay.
func (b *Bamboo) explainHoles(v sim.View, j, pipelines, stages, spares int, risk float64, plan *sim.Plan) {
	p := &plan.Jobs[j]
	plan.AddInput("holes", float64(v.Job(j).Layout().Holes), "")
	plan.AddInput("spares", float64(spares), "")
	plan.AddInput("share at risk", risk, "")
	plan.AddInput("limit of the share at risk", b.Risk, "")
	policyutil.ExplainLayout(v, j, "go on with holes in", p.Pipelines, p.Stages, pipelines == 0, "", plan)
	if pipelines > 0 {
		policyutil.ExplainLayout(v, j, "fill the holes of", pipelines, stages, true, "", plan)
	}
}
