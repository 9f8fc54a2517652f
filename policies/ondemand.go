package policies

import (
	"github.com/marigram/marigram/policies/internal/kit"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// OnDemand is the baseline without preemptions: spotDNN's plan at on-demand prices,
// made once, from on-demand pools only; for a pipelined model the cheapest layout that
// meets the objective, the fastest if none does.
type OnDemand struct {
	Instances      int     `set:"instances" min:"0" max:"65536" doc:"maximum number of instances of a pipelined job, in the fastest layout; 0 takes the cheapest number that meets the deadline"`
	OverPrediction float64 `set:"over_prediction" min:"0" max:"1" doc:"share by which predicted contention for the parameter server is increased"`

	search spotdnn.ClusterSearch
	trial  kit.Trial
}

func init() {
	Register(Info{
		Name:     "ondemand",
		Doc:      "spotDNN's plan at on-demand prices, or the cheapest pipelines that meet the objective: never interrupted",
		Source:   "spotDNN (IWQoS 2023), baseline On-demand",
		Needs:    AnyModel,
		Defaults: func() sim.Policy { return &OnDemand{} },
	})
}

// Name implements sim.Policy.
func (*OnDemand) Name() string { return "ondemand" }

// Decide implements sim.Policy.
func (o *OnDemand) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		job := v.Job(j)
		if !job.Active() || job.Want() > 0 {
			continue
		}
		if m, ok := job.Model().(sim.PipelineModel); ok && !workers(m) {
			holdPipelines(v, j, o.Instances, m, &o.trial, plan)
		} else {
			o.start(v, j, plan)
		}
	}
}

func (o *OnDemand) start(v sim.View, j int, plan *sim.Plan) {
	task := o.search.Reset(v, j, o.OverPrediction)
	for p := range task.Free {
		if v.Pool(p).OnDemand {
			task.Free[p] = kit.Headroom(v, plan, j, p)
		}
	}
	task.Seconds -= o.search.ExpectedBoot(v).Seconds()
	spotdnn.ExplainSearch(v, task, plan)
	choice := o.search.Window.Search(task)
	copy(plan.Jobs[j].Hold, choice.Counts)
	kit.ExplainChoice(v, choice.Counts, plan)
	plan.SetReason(kit.Reason(choice.Feasible, "cheapest on-demand cluster that meets the deadline"))
}

// workers reports whether a model is one of workers as well.
func workers(m sim.Model) bool {
	_, ok := m.(sim.WorkerModel)
	return ok
}
