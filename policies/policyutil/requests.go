package policyutil

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// RequestSpot has job j hold up to largest spot instances. What is missing is
// requested in all spot pools at once, since a policy does not see which has
// capacity; what comes in excess is released, the most expensive first.
func RequestSpot(v sim.View, j, largest int, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	coming := 0
	for p := range hold {
		if !v.Pool(p).OnDemand {
			coming += v.Active(j, p)
		}
	}
	missing := largest - coming
	for p := range hold {
		hold[p] = 0
		if v.Pool(p).OnDemand {
			continue
		}
		active := v.Active(j, p)
		hold[p] = active
		if missing > 0 {
			hold[p] += min(missing, Headroom(v, plan, j, p))
		}
		if v.Pool(p).Boot.Median == 0 && hold[p] > active+v.Held(j, p).Waiting {
			plan.AskAgain() // what is granted is ready at once
		}
	}
	if missing < 0 {
		GiveBack(v, hold, -missing)
	}
}

// GiveBack takes more instances, which are there, out of hold, the most expensive first.
func GiveBack(v sim.View, hold []int, more int) {
	for _, p := range v.MostExpensive() {
		give := min(hold[p], more)
		hold[p] -= give
		more -= give
		if more == 0 {
			return
		}
	}
}

// Pipelines returns the model of job j as one of pipelines. It panics if it is
// none.
func Pipelines(v sim.View, j int) sim.PipelineModel {
	m, ok := v.Job(j).Model().(sim.PipelineModel)
	if !ok {
		panic("policyutil: the job's model is no sim.PipelineModel: it has no pipelines")
	}
	return m
}

// MaxInstances returns how many instances to hold: as a setting says, but no more
// than the model can use, which is what 0 stands for.
func MaxInstances(setting int, m sim.PipelineModel) int {
	if setting == 0 {
		return m.MaxUseful()
	}
	return min(setting, m.MaxUseful())
}

// Affords returns for how many hours a budget in USD pays what job j holds or wants by the plan, at the present prices,
// without servers, disks and tax, but for the last two minutes, which cover minimum charges; +Inf for nothing, and
// below 0 where it is spent.
func Affords(v sim.View, j int, usd float64, plan *sim.Plan) float64 {
	bill := v.Bill()
	usdPerH := 0.0
	for p, want := range plan.Jobs[j].Hold {
		held := v.Held(j, p)
		usdPerH += float64(max(want, held.Active())+held.Noticed) * v.Price(p)
	}
	return (usd - bill.Total() - usdPerH/30) / usdPerH
}

// Reconfigure lays job j out on its ready instances in the layout that is fastest
// by its model: at once where the present layout cannot train, and to grow once the
// last pause is settle ago.
func Reconfigure(v sim.View, j int, settle time.Duration, plan *sim.Plan) {
	job := v.Job(j)
	planned := &plan.Jobs[j]
	layout := job.Layout()
	pipelines, stages := Pipelines(v, j).Best(layout.Total())
	if pipelines == planned.Pipelines && stages == planned.Stages {
		return
	}
	able := planned.Stages > 0 && layout.Total() >= planned.Pipelines*planned.Stages-int(layout.Holes)
	if able && job.Begun() {
		if wait := settle - v.Now().Sub(job.Resumed()); wait > 0 || !job.Training() {
			if wait > 0 {
				plan.WakeIn(wait)
			}
			ExplainChange(v, j, pipelines, stages, false, "not yet: the last pause is too recent", plan)
			return
		}
	}
	ExplainChange(v, j, pipelines, stages, true, "", plan)
	planned.Pipelines = pipelines
	planned.Stages = stages
	plan.AskAgain() // it trains then, or is paused: the next save is planned
	plan.SetReason("the fastest layout of those that are ready")
}
