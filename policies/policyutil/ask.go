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
	m, goal, servers := job.Model(), job.Objective(), job.Servers()
	if q.Servers != nil {
		servers = min(max(*q.Servers, 0), message.Max)
	}
	l, n := a.trial.Layout(), q.Instances
	if len(q.Hold) == v.Pools() && n == 0 {
		n = layHeld(l, q, servers)
	} else {
		_, l = a.trial.Train(m, goal, servers, n)
	}
	rate := m.Rate(l)
	from := m.Begin(l)
	out.WholeS = finite(&a.whole, (m.Goal(goal.Loss)-from)/rate.Progress)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		from = m.Goal(loss)
	}
	out.LeftS = finite(&a.left, (m.Goal(goal.Loss)-from)/rate.Progress)
	stall, _ := m.SaveTime(l)
	out.Samples, out.SaveS = rate.Samples, stall.Seconds()
	out.Pipelines, out.Stages = int(l.Pipelines), int(l.Stages)
	_, out.Pipelined = m.(sim.PipelineModel)
	out.Max = useful(m, goal)
	if n > 0 {
		out.LossS = a.loss.Of(m, l).Stall.Seconds()
		for p := range v.Pools() {
			out.ReadyS = max(out.ReadyS, ReadyAfter(v.Pool(p).Boot, n, 0.99))
		}
	}
	return out
}

// finite keeps a number; nil for one that is not finite.
func finite(at *float64, x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	*at = x
	return at
}

// layHeld lays out the instances of a question by pool, and returns their number.
func layHeld(l *sim.Layout, q *message.Ask, servers int) (n int) {
	l.Workers = l.Workers[:0]
	for _, k := range q.Hold {
		k = min(max(k, 0), message.Max)
		l.Workers = append(l.Workers, int32(k))
		n += k
	}
	l.Pipelines, l.Stages, l.Servers = int32(q.Pipelines), int32(q.Stages), int32(servers)
	return n
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
