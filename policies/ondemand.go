package policies

import "github.com/marigram/marigram/sim"

// OnDemand is the baseline that nobody interrupts: spotDNN's plan at on-demand
// prices, made once, from on-demand pools only.
type OnDemand struct {
	OverPrediction float64 `set:"over_prediction" min:"0" max:"1" doc:"share by which contention for the parameter server is predicted higher than the model says"`

	search search
}

// Name implements sim.Policy.
func (*OnDemand) Name() string { return "ondemand" }

// Decide implements sim.Policy.
func (o *OnDemand) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if job := v.Job(j); job.Active() && job.Want() == 0 {
			o.start(v, j, plan)
		}
	}
}

func (o *OnDemand) start(v sim.View, j int, plan *sim.Plan) {
	task := o.search.reset(v, j, o.OverPrediction)
	for p := range task.Free {
		if v.Pool(p).OnDemand {
			task.Free[p] = room(v, plan, j, p)
		}
	}
	task.Seconds -= o.search.expectedBoot(v).Seconds()
	heard(v, task, plan)
	choice := o.search.window.Search(task)
	copy(plan.Jobs[j].Hold, choice.Counts)
	took(v, choice.Counts, plan)
	plan.Because(reason(choice.Feasible, "cheapest on-demand cluster in time"))
}

const tooLate = "no cluster is in time: the fastest"

func reason(feasible bool, why string) string {
	if feasible {
		return why
	}
	return tooLate
}
