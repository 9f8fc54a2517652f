package safe

import (
	"math"

	"github.com/marigram/marigram/policies/internal/kit"
	"github.com/marigram/marigram/sim"
)

// sparesAtMost is +Inf where the policy may wait with its base, else 0: a policy within another one is asked for
// everything, and so is one that looks less often than its base.
func (s *Safe) sparesAtMost(v sim.View) float64 {
	if _, waits := s.Base.(kit.Waiter); waits && s.grain == 0 && v.Asks(s) {
		return math.Inf(1)
	}
	return 0
}

// spares returns for how many seconds the clock of job j has nothing to decide unless an event comes, even if nothing
// trained until then; 0 where that is not known.
func (s *Safe) spares(v sim.View, j int, c *clock) float64 {
	if c.action() != leave || c.dear > 0 || asksOnDemand(v, j) || !s.workers.settled(v, j) {
		return 0
	}
	return min(c.slack(c.sized, c.reserve), c.slack(c.fastest, c.reserve/2))
}

// rest leaves out looks of the policy and its base for a span in seconds, and reports whether it does. Events are all
// asked for: looks are counted from them.
func (s *Safe) rest(v sim.View, spare float64, plan *sim.Plan) bool {
	base, apart := s.Base.(kit.Waiter), longest
	if every := base.Looks(); every > 0 {
		apart = min(apart, every)
	}
	if math.IsInf(spare, 1) || !kit.Rest(v, base, min(spare, base.Spares(v)), apart, plan) {
		return false
	}
	plan.WaitFor(sim.AnyEvent)
	if plan.Recorded() {
		for _, j := range v.ActiveJobs() {
			s.look(v, j, plan).explain(plan)
		}
	}
	return true
}

// asksOnDemand reports whether requests of job j on demand wait: how long, counts.
func asksOnDemand(v sim.View, j int) bool {
	for p := range v.Pools() {
		if n, _ := v.Waiting(j, p); n > 0 && v.Pool(p).OnDemand {
			return true
		}
	}
	return false
}

// settled reports whether the fastest clusters on demand do not depend on prices: these order pools whose
// mini-batches take the same time.
func (w *workers) settled(v sim.View, j int) bool {
	m, is := v.Job(j).Model().(sim.WorkerModel)
	if !is {
		return false
	}
	m.Workers(1, 0, w.speeds)
	for p, a := range w.speeds {
		for q, b := range w.speeds[:p] {
			if a.Rate == b.Rate && a.Speed != b.Speed && v.Pool(p).OnDemand && v.Pool(q).OnDemand {
				return false
			}
		}
	}
	return true
}
