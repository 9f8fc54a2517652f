package schedulers

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

// Traits says what the policy is.
func (*LAS) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*LAS) RentsOnDemand() bool { return false }

// indexed reports whether the queues can be kept in order without a look at every job.
func (l *LAS) indexed() bool { return l.Promote == 0 && l.Gittins == nil && !l.AsReleased }

// NewState implements sim.Stateful.
func (l *LAS) NewState(from, _ any) any {
	switch was := from.(type) {
	case *lasState:
		s := &lasState{gpus: was.gpus.clone(), jobs: slices.Clone(was.jobs)}
		for q := range s.queues {
			s.queues[q] = slices.Clone(was.queues[q])
		}
		return s
	case *lasLines:
		return was.clone()
	}
	if l.indexed() {
		return &lasLines{}
	}
	return &lasState{}
}

// Decide implements sim.Policy.
func (l *LAS) Decide(v sim.View, plan *sim.Plan) {
	if s, all := v.State().(*lasState); all {
		l.serveAll(v, plan, s)
	} else {
		l.serve(v, plan, v.State().(*lasLines))
	}
	if plan.Recorded() {
		sayFirst(v, plan, "jobs that have received less service")
	}
}

// serveAll gives out the GPUs, with a look at every job.
func (l *LAS) serveAll(v sim.View, plan *sim.Plan, s *lasState) {
	s.update(v, plan)
	s.gpus.watch(v, plan, func(j int) { s.gpus.drop(plan, j) })
	for _, j := range v.ActiveJobs() {
		l.check(v, s, j)
	}
	if l.Gittins != nil {
		for q := range s.queues {
			slices.SortStableFunc(s.queues[q], func(a, b int) int {
				return cmp.Or(cmp.Compare(s.jobs[b].rank, s.jobs[a].rank), cmp.Compare(v.Job(a).ID(), v.Job(b).ID()))
			})
		}
	}
	s.gpus.walk(v, plan, l.Placement, s.queues[:]...)
	for q := range s.queues {
		for _, j := range s.queues[q] {
			s.jobs[j].run = plan.Held(j) > 0
		}
		slices.SortStableFunc(s.queues[q], func(a, b int) int { return runsFirst(&s.jobs[a], &s.jobs[b]) })
	}
	if in := l.next(v, s); in > 0 && !math.IsInf(in, 1) {
		plan.WakeIn(time.Duration(math.Ceil(in * float64(time.Second))))
	}
}
