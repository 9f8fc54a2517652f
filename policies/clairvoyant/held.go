package clairvoyant

import "github.com/marigram/marigram/sim"

// keeper notes what a policy holds.
type keeper struct {
	sim.Policy
	schedule schedule
}

// Decide implements sim.Policy.
func (k *keeper) Decide(v sim.View, plan *sim.Plan) {
	k.Policy.Decide(v, plan)
	now := step{at: v.Now(), workers: make([]int32, v.Pools()), servers: int32(plan.Jobs[0].Servers)}
	for p, n := range plan.Jobs[0].Hold {
		now.workers[p] = int32(n + v.Held(0, p).Noticed)
	}
	if n := len(k.schedule); n > 0 && k.schedule[n-1].at == now.at {
		k.schedule = k.schedule[:n-1]
	}
	k.schedule = append(k.schedule, now)
}

// held returns what a policy holds as a schedule.
func (s *search) held(base sim.Policy) (schedule, error) {
	k := keeper{Policy: base}
	c := s.config
	c.Policy = &k
	if err := s.world.Reset(c); err != nil {
		return nil, err
	}
	s.world.Run()
	return k.schedule, nil
}
