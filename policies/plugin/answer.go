package plugin

import (
	"math"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/internal/policyutil"
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// answerer answers questions by the models that policies may see. It holds scratch memory.
type answerer struct {
	trial policyutil.Trial
	loss  policyutil.Loss
}

// answer answers one question; a job that is not in the view is answered with nothing.
func (a *answerer) answer(v sim.View, q *message.Ask) message.Answer {
	out := message.Answer{Type: "answer"}
	if q.Job < 0 || q.Job >= v.Jobs() || q.Instances < 0 || q.Instances > message.Max {
		return out
	}
	if q.Pool != nil {
		out.Pool = answerPool(v, q)
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
	out.WholeS = stats.FiniteOrNil((m.Goal(goal.Loss) - from) / rate.Progress)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		from = m.Goal(loss)
	}
	out.LeftS = stats.FiniteOrNil((m.Goal(goal.Loss) - from) / rate.Progress)
	stall, _ := m.SaveTime(l)
	out.Samples, out.SaveS = rate.Samples, stall.Seconds()
	out.Pipelines, out.Stages = int(l.Pipelines), int(l.Stages)
	_, out.Pipelined = m.(sim.PipelineModel)
	out.Max = useful(m, goal)
	if n > 0 {
		out.LossS = a.loss.Of(m, l).Stall.Seconds()
		for p := range v.Pools() {
			out.ReadyS = max(out.ReadyS, policyutil.ReadyAfter(v.Pool(p).Boot, n, 0.99))
		}
	}
	return out
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
