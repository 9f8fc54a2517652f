package cluster

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Name implements sim.Policy.
func (l *LAS) Name() string {
	switch {
	case l.Gittins != nil:
		return "tiresias-gittins"
	case l.TimeOnly:
		return "las"
	}
	return "tiresias"
}

// NewState implements sim.Stateful.
func (*LAS) NewState(from any) any {
	was, ok := from.(*lasState)
	if !ok {
		return &lasState{}
	}
	s := &lasState{jobs: slices.Clone(was.jobs)}
	for q := range s.queues {
		s.queues[q] = slices.Clone(was.queues[q])
	}
	return s
}

// Decide implements sim.Policy.
func (l *LAS) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*lasState)
	s.update(v)
	for _, j := range v.ActiveJobs() {
		l.check(v, s, j)
	}
	if l.Gittins != nil {
		for q := range s.queues {
			slices.SortStableFunc(s.queues[q], func(a, b int) int {
				return cmp.Or(cmp.Compare(s.jobs[b].rank, s.jobs[a].rank), cmp.Compare(a, b))
			})
		}
	}
	l.gpus.walk(v, plan, s.queues[:]...)
	for q := range s.queues {
		for _, j := range s.queues[q] {
			s.jobs[j].run = held(plan.Jobs[j].Hold) > 0
		}
		slices.SortStableFunc(s.queues[q], func(a, b int) int { return runsFirst(&s.jobs[a], &s.jobs[b]) })
	}
	if in := l.next(v, s); in > 0 && !math.IsInf(in, 1) {
		plan.WakeIn(time.Duration(math.Ceil(in * float64(time.Second))))
	}
}
