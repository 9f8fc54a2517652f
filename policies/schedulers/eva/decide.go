package eva

import (
	"github.com/marigram/marigram/sim"
)

// Decide implements sim.Policy.
func (e *Eva) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*state)
	urgent := s.hear(v, plan)
	past := v.Now().Sub(v.Start()) % e.Every // since the last instant of the grid
	if len(s.jobs) > 0 || v.Hosts() > 0 {
		plan.WakeIn(e.Every - past)
	}
	if past != 0 && !urgent && !e.late(v) {
		return
	}
	if len(s.jobs) > 0 || v.Hosts() > 0 {
		e.see(v, s, plan)
		if e.Plans == Apart {
			plan.SetReason("an instance for each task")
			e.separate(v, s, plan)
		} else {
			s.learn(v)
			e.weigh(v, s, plan)
		}
	}
}
