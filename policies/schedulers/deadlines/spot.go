package deadlines

import (
	"cmp"
	"time"

	"github.com/marigram/marigram/sim"
)

// Spot is a policy of ours for many jobs with deadlines. Every job is in one of four states, the cheaper first:
//
//   - it waits for servers of one's own (sim.Pool.Reserved), as long as all jobs with earlier deadlines, one after the other
//     on these servers, leave it enough time (earliest deadline first: Liu and Layland, JACM 1973);
//   - it has such servers, which go to the earliest deadline and are taken from a job only for one that would
//     need GPUs on demand otherwise, where that is cheaper;
//   - it trains on spot, where an hour of its work costs least: the price, and what the losses seen in that pool take
//     back, by a Gamma prior of one loss in PriorHours;
//   - on demand, from its latest start on: the last instant at which that meets the deadline, as in the safe rule of Can't Be
//     Late (NSDI 2024) and in policies/safe.
//
// A job that trains on spot loses no slack; it goes on there until the cloud takes its GPUs. Shortly before, it is saved; where
// there may be no notice, what a loss takes back is part of its latest start. It goes on spot only if it can lose
// it once. A job past its deadline goes on at once. One without a deadline waits for servers or spot; where no
// servers have room for it and no spot pool costs less, it rents on demand at once. Nothing of the future is
// known; how much work is left to jobs is: users say it when they set the deadline.
type Spot struct {
	// Reserve is time that a job keeps in addition to what it needs on demand: for boots that take longer.
	Reserve time.Duration `set:"reserve_s" min:"0" max:"86400" doc:"time that a job keeps in addition to what it needs on demand to meet its deadline"`
	// Slack is how much of its remaining run time a job must have left after the wait for servers; a
	// job that would have less rents at once.
	Slack float64 `set:"slack" min:"0" max:"100" doc:"part of its remaining run time that a job has to spare after a wait for servers; with less it rents at once"`
	// Fill is the part of the servers that is expected to be in use while a job waits for them.
	Fill float64 `set:"fill" min:"0.01" max:"1" doc:"part of the servers that is expected to be in use while a job waits for them"`
	// Retry is how long a pool is not asked in which requests were not granted.
	Retry time.Duration `set:"retry_s" min:"1" max:"86400" doc:"how long a full spot pool is not asked"`
	// PriorHours is the mean time between losses that is expected of a pool before any was seen.
	PriorHours float64 `set:"prior_h" min:"0.01" max:"10000" doc:"hours between two losses that are expected of a spot pool of which nothing was seen yet"`

	// Kind leaves out parts of the policy, to compare with.
	Kind Kind

	layout sim.Layout
	change sim.Change
}

// Kind is a form of the policy.
type Kind string

// The forms; the empty one is the whole policy.
const (
	// AtOnce never waits for servers where there is spot: the safe greedy rule of Can't Be Late (NSDI 2024) for each job alone.
	AtOnce Kind = "deadline-greedy"
	// WithoutSpot waits for servers until the latest start, and then rents on demand.
	WithoutSpot Kind = "deadline-ondemand"
)

// New returns the policy with its default settings.
func New() *Spot {
	return &Spot{Reserve: 5 * time.Minute, Slack: 0.1, Fill: 0.9, Retry: 5 * time.Minute, PriorHours: 4}
}

// Name implements sim.Policy.
func (d *Spot) Name() string { return cmp.Or(string(d.Kind), "deadline-spot") }

// Traits says what the policy is.
func (*Spot) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: true}
}

// NewState implements sim.Stateful.
func (*Spot) NewState(from, _ any) any {
	if was, ok := from.(*state); ok {
		return was.clone()
	}
	return &state{}
}

// look is the time between two looks at jobs that wait.
const look = 5 * time.Minute

// Decide implements sim.Policy.
func (d *Spot) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*state)
	s.setUp(v)
	d.news(v, plan, s)
	d.appraise(v, plan, s)
	plan.SetReason("servers by deadline, spot while there is slack, on demand from the latest start on")
	d.displace(v, plan, s)
	d.fill(v, plan, s)
	asked := d.rent(v, plan, s)
	if asked {
		plan.AskAgain()
	}
	for _, j := range s.order {
		d.drain(v, plan, j)
	}
	if plan.Recorded() {
		d.explain(v, plan, s)
	}
	d.wake(v, plan, s)
}

// wake wakes the policy when a job that waits has to be looked at.
func (d *Spot) wake(v sim.View, plan *sim.Plan, s *state) {
	next := sim.Never
	for _, j := range s.order {
		if x := &s.jobs[j]; x.where == waits {
			next = min(next, v.Now().Add(look))
			if x.slack > 0 {
				next = min(next, v.Now().Add(spanOf(x.slack)))
			}
		}
	}
	if in := next.Sub(v.Now()); next != sim.Never && in > 0 {
		plan.WakeIn(in)
	}
}

// explain records where the jobs are that have nothing, or are not where they cost least.
func (d *Spot) explain(v sim.View, plan *sim.Plan, s *state) {
	for _, j := range s.order {
		x := &s.jobs[j]
		c := sim.Candidate{Name: v.Job(j).Name(), Score: x.slack / 3600, Unit: "h of slack", Note: placeNames[x.where], Chosen: x.where != waits}
		if x.where == waits && x.rents {
			c.Note = "no spot pool has capacity; there is time until its latest start"
		}
		plan.AddCandidate(c)
	}
}

// spanOf turns seconds into a span, at least a microsecond.
func spanOf(s float64) time.Duration {
	if s > 1e9 {
		return 1e9 * time.Second
	}
	return max(time.Duration(s*float64(time.Second)), time.Microsecond)
}
