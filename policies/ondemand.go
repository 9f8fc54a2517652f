package policies

import "github.com/marigram/marigram/sim"

// OnDemand is the baseline that nobody interrupts: spotDNN's plan at on-demand
// prices, made once, from on-demand pools only; of pipelines the fastest that
// there are instances for.
type OnDemand struct {
	Instances      int     `set:"instances" min:"0" max:"65536" doc:"most instances of pipelines; 0 takes as many as the model can use"`
	OverPrediction float64 `set:"over_prediction" min:"0" max:"1" doc:"share by which contention for the parameter server is predicted higher than the model says"`

	search search
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
			o.pipelines(v, j, m, plan)
		} else {
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

// workers reports whether a model is one of workers as well.
func workers(m sim.Model) bool {
	_, ok := m.(sim.WorkerModel)
	return ok
}

// pipelines takes as many instances as it may, the cheapest first, and lays them
// out for good.
func (o *OnDemand) pipelines(v sim.View, j int, m sim.PipelineModel, plan *sim.Plan) {
	p := &plan.Jobs[j]
	for n := most(o.Instances, m); n > 0; {
		cheapest := -1
		for pool := range p.Hold {
			if v.Pool(pool).OnDemand && p.Hold[pool] == 0 && room(v, plan, j, pool) > 0 && (cheapest < 0 || v.Price(pool) < v.Price(cheapest)) {
				cheapest = pool
			}
		}
		if cheapest < 0 {
			break
		}
		p.Hold[cheapest] = min(n, room(v, plan, j, cheapest))
		n -= p.Hold[cheapest]
	}
	p.Pipelines, p.Stages = m.Best(p.Total())
	for spare := p.Total() - p.Pipelines*p.Stages; spare > 0; { // what has no place is not taken
		dearest := -1
		for pool, n := range p.Hold {
			if n > 0 && (dearest < 0 || v.Price(pool) >= v.Price(dearest)) {
				dearest = pool
			}
		}
		give := min(spare, p.Hold[dearest])
		p.Hold[dearest] -= give
		spare -= give
	}
	plan.Because("the fastest layout on demand")
}

const tooLate = "no cluster is in time: the fastest"

func reason(feasible bool, why string) string {
	if feasible {
		return why
	}
	return tooLate
}
