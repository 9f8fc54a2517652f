package clairvoyant

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// schedule says what to hold from each of some instants on.
type schedule []step

type step struct {
	at      sim.Time
	workers []int32 // by pool, those under notice included
	servers int32
}

// player holds what a schedule says, for the first job.
type player struct{ schedule schedule }

func (*player) Name() string { return "clairvoyant" }

// Traits says what the policy is.
func (*player) Traits() sim.Traits {
	return sim.Traits{KnowsFuture: true}
}

// Decide implements sim.Policy. What comes under notice is not replaced, and there is no
// parameter server before there is a worker.
func (p *player) Decide(v sim.View, plan *sim.Plan) {
	k, exact := slices.BinarySearchFunc(p.schedule, v.Now(), func(s step, t sim.Time) int { return int(s.at - t) })
	if !exact {
		k--
	}
	if k+1 < len(p.schedule) {
		plan.WakeIn(p.schedule[k+1].at.Sub(v.Now()))
	}
	if k < 0 || !v.Job(0).Active() {
		return
	}
	now, hold, ready := &p.schedule[k], plan.Jobs[0].Hold, v.Job(0).Begun()
	for i := range hold {
		held := v.Held(0, i)
		hold[i] = max(int(now.workers[i])-held.Noticed, 0)
		ready = ready || held.Ready > 0 || held.Noticed > 0
	}
	plan.Jobs[0].Servers = 0
	if ready {
		plan.Jobs[0].Servers = int(now.servers)
	}
}
