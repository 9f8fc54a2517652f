package schedulers

import (
	"cmp"
	"fmt"

	"github.com/marigram/marigram/sim"
)

// Decide implements sim.Policy.
func (r *Pairs) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*pairState)
	s.find(v, cmp.Or(r.Round, defaultRound))
	s.count(v)
	s.hear(v)
	r.observe(v, plan, s)
	if every := cmp.Or(r.Every, defaultEvery); s.stale && (s.worked == sim.Never || v.Now().Sub(s.worked) >= every) {
		s.share(v)
	}
	if v.Now() >= s.end {
		s.end = v.Now().Add(cmp.Or(r.Round, defaultRound))
		for _, j := range s.active {
			s.jobs[j].in = nil
		}
	}
	r.give(v, plan, s)
	asked := r.place(v, plan, s)
	if plan.Recorded() {
		s.say(v, plan)
	}
	if len(s.active) > 0 {
		plan.WakeIn(s.end.Sub(v.Now()))
	}
	if s.models.rents && asked {
		plan.AskAgain() // a full pool is noticed at once
	}
}

// say says why jobs wait.
func (s *pairState) say(v sim.View, plan *sim.Plan) {
	plan.SetReason("GPUs go, round by round, to the jobs and pairs of jobs that have had least of their share of the time")
	ahead := 0.0
	for _, j := range s.active {
		if x := &s.jobs[j]; x.in == nil {
			plan.AddCandidate(sim.Candidate{Name: v.Job(j).Name(), Score: ahead, Unit: "jobs waiting ahead of it",
				Note: fmt.Sprintf("others have had less of their share, alone or in pairs, and leave fewer than the %d GPUs that it needs", x.gpus)})
			ahead++
		}
	}
}
