package policyutil

import (
	"math"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// Answerer answers how a job would do on other instances, by the model that a policy may see: Ask. It holds scratch
// memory, and is for one goroutine; the zero value is ready.
type Answerer struct {
	trial       Trial
	loss        Loss
	whole, left float64
}

// Ask answers a question about job q.Job: times, saves, losses and layouts on q.Instances, or on those of q.Hold by
// pool. Numbers that are not finite are nil; the answer is valid until the next question. A job that is not in the
// view, and instances out of bounds (0 to message.Max), are answered with nothing. Questions about a pool (q.Pool) are
// not answered here: sim.View.Seen does.
func (a *Answerer) Ask(v sim.View, q *message.Ask) message.Answer {
	out := message.Answer{Type: "answer"}
	if q.Job < 0 || q.Job >= v.Jobs() || q.Instances < 0 || q.Instances > message.Max {
		return out
	}
	job := v.Job(q.Job)
	model := job.Model()
	goal := job.Objective()
	servers := job.Servers()
	if q.Servers != nil {
		servers = min(max(*q.Servers, 0), message.Max)
	}
	layout := a.trial.Layout()
	instances := q.Instances
	if len(q.Hold) == v.Pools() && instances == 0 {
		instances = layOutHeld(layout, q, servers)
	} else {
		_, layout = a.trial.Train(model, goal, servers, instances)
	}
	rate := model.Rate(layout)
	from := model.Begin(layout)
	out.WholeS = finite(&a.whole, (model.Goal(goal.Loss)-from)/rate.Progress)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		from = model.Goal(loss)
	}
	out.LeftS = finite(&a.left, (model.Goal(goal.Loss)-from)/rate.Progress)
	stall, _ := model.SaveTime(layout)
	out.Samples = rate.Samples
	out.SaveS = stall.Seconds()
	out.Pipelines = int(layout.Pipelines)
	out.Stages = int(layout.Stages)
	_, out.Pipelined = model.(sim.PipelineModel)
	out.Max = useful(model, goal)
	if instances > 0 {
		out.LossS = a.loss.Of(model, layout).Stall.Seconds()
		for p := range v.Pools() {
			out.ReadyS = max(out.ReadyS, ReadyAfter(v.Pool(p).Boot, instances, 0.99))
		}
	}
	return out
}

// finite keeps a number in memory; it returns nil for one that is not finite.
func finite(memory *float64, x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	*memory = x
	return memory
}

// layOutHeld lays out the instances of a question by pool, and returns their number.
func layOutHeld(layout *sim.Layout, q *message.Ask, servers int) (instances int) {
	layout.Workers = layout.Workers[:0]
	for _, n := range q.Hold {
		n = min(max(n, 0), message.Max)
		layout.Workers = append(layout.Workers, int32(n))
		instances += n
	}
	layout.Pipelines = int32(q.Pipelines)
	layout.Stages = int32(q.Stages)
	layout.Servers = int32(servers)
	return instances
}

// useful returns how many instances a model can make use of, math.MaxInt32 if it does not say.
func useful(m sim.Model, o sim.Objective) int {
	switch m := m.(type) {
	case sim.PipelineModel:
		return m.MaxUseful()
	case sim.WorkerModel:
		_, largest := m.WorkerBounds(math.Inf(1), o.Loss, o.Within.Seconds())
		return largest
	}
	return math.MaxInt32
}
