package advise

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// jobFollower holds until now what the jobs held. From now on another policy decides (sim.World.Succeed).
type jobFollower struct {
	record *record
	traits sim.Traits
}

// Name implements sim.Policy.
func (*jobFollower) Name() string { return "what the state says" }

// Traits says how the policy plans that will go on.
func (f *jobFollower) Traits() sim.Traits { return f.traits }

// Decide implements sim.Policy.
func (f *jobFollower) Decide(v sim.View, plan *sim.Plan) {
	now := v.Now()
	if next := f.record.nextTurn(now); next > now {
		plan.WakeIn(next.Sub(now))
	}
	for _, j := range v.ActiveJobs() {
		if now < f.record.begins[j] {
			continue
		}
		for _, l := range f.record.heldBy[j] {
			plan.Place(j, l.pool, f.record.count(j, l.pool))
		}
	}
}

// followJobs runs the world to now: what the state says that jobs hold, or, where it says nothing of them, what the
// scheduler would have had them hold; then the scheduler decides.
func (r *record) followJobs(w *sim.World, c sim.Config, policy sim.Policy) (err error) {
	said := r.heldBy != nil
	c.Start = r.started
	c.Horizon = 0
	c.Policy = &awake{policy, r.now}
	if said {
		if c.Market, err = r.granting(c.Market); err != nil {
			return err
		}
		c.Policy = &jobFollower{record: r, traits: sim.TraitsOf(policy)}
	}
	if err := w.Reset(c); err != nil {
		return err
	}
	for w.NextDecision() {
		if w.Now() < r.now {
			continue
		}
		if said {
			if err := r.checkFollowed(w.View()); err != nil {
				return err
			}
			w.Succeed(policy)
		}
		return nil
	}
	return fmt.Errorf("by the model and the scheduler, all jobs were over at %v, before now: expected jobs, "+
		"those that are there, in the state", w.Now().Sub(0))
}

// awake is a policy that is also asked at an instant, which changes nothing.
type awake struct {
	sim.Policy
	at sim.Time
}

// Traits are those of the policy.
func (a *awake) Traits() sim.Traits { return sim.TraitsOf(a.Policy) }

// Unwrap returns the policy.
func (a *awake) Unwrap() sim.Policy { return a.Policy }

// Decide implements sim.Policy.
func (a *awake) Decide(v sim.View, plan *sim.Plan) {
	a.Policy.Decide(v, plan)
	if v.Now() < a.at {
		plan.WakeIn(a.at.Sub(v.Now()))
	}
}
