package advise

import (
	"fmt"
	"slices"

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
	now, next := v.Now(), f.record.now
	if k, _ := slices.BinarySearch(f.record.turns, now+1); k < len(f.record.turns) {
		next = min(next, f.record.turns[k])
	}
	if next > now {
		plan.WakeIn(next.Sub(now))
	}
	for _, j := range v.ActiveJobs() {
		held := f.record.tasks[j]
		if len(held) == 0 || now < f.record.begins[j] {
			continue
		}
		for _, l := range held {
			plan.Place(j, l.pool, f.record.count(j, l.pool))
		}
	}
}

// followJobs runs the world to now: what the state says that jobs hold, or, where it says nothing of them, what the
// scheduler would have had them hold; then the scheduler decides.
func (r *record) followJobs(w *sim.World, c sim.Config, policy sim.Policy) error {
	c.Start, c.Horizon = r.started, 0
	c.Policy = &awake{policy, r.now}
	if r.tasks != nil {
		m, err := c.Market.Granting(r.granted(), max(c.Market.End(), r.now.Add(1)+1))
		if err != nil {
			return err
		}
		c.Market = m
		c.Policy = &jobFollower{record: r, traits: sim.TraitsOf(policy)}
	}
	if err := w.Reset(c); err != nil {
		return err
	}
	for w.NextDecision() {
		if w.Now() < r.now {
			continue
		}
		if r.tasks != nil {
			if err := r.followed(w.View()); err != nil {
				return err
			}
			w.Succeed(policy)
		}
		return nil
	}
	return fmt.Errorf("by the model and the scheduler, all jobs were over at %v, before now: expected jobs, those that are there, in the state", w.Now().Sub(0))
}

// awake is a scheduler that is also asked at an instant, at which all that it remembers is of the past.
type awake struct {
	sim.Policy
	at sim.Time
}

// Traits are those of the scheduler.
func (a *awake) Traits() sim.Traits { return sim.TraitsOf(a.Policy) }

// Unwrap returns the scheduler.
func (a *awake) Unwrap() sim.Policy { return a.Policy }

// Decide implements sim.Policy.
func (a *awake) Decide(v sim.View, plan *sim.Plan) {
	a.Policy.Decide(v, plan)
	if v.Now() < a.at {
		plan.WakeIn(a.at.Sub(v.Now()))
	}
}
