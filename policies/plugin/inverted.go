package plugin

import (
	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// What follows is for those who ask in the place of being asked (package gym).

// Gather writes what a policy sees.
func Gather(m *message.View, v sim.View) { gather(m, v, false) }

// Pools describes pools.
func Pools(all []sim.Pool) []message.Pool {
	out := make([]message.Pool, len(all))
	for i := range all {
		out[i] = pool(&all[i])
	}
	return out
}

// Answerer answers questions by what policies may see. It is for one goroutine; the zero value is ready.
type Answerer struct{ answers policyutil.Answerer }

// Answer answers one question, validly until the next; what is not in the view is answered with nothing.
func (a *Answerer) Answer(v sim.View, q *message.Ask) message.Answer {
	if q.Pool != nil && q.Job >= 0 && q.Job < v.Jobs() {
		return message.Answer{Type: "answer", Pool: answerPool(v, q)}
	}
	return a.answers.Ask(v, q)
}
