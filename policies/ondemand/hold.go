package ondemand

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// Hold writes a schedule into the plan of the job: what it needs now of the pools on demand. What is held stays until
// all of a cluster is ready. Other pools are left alone. It reports whether all is ready.
func (p *Planner) Hold(s *Schedule, plan *sim.Plan) (ready bool) {
	ready = s.First.within(p.ready.Counts)
	hold := plan.Jobs[p.index].Hold
	requests := false
	for k, n := range s.First.Counts {
		if !p.view.Pool(k).OnDemand {
			continue
		}
		hold[k] = int(n)
		if !ready {
			hold[k] = int(max(n, p.have[k]))
		}
		p.nameLeavers(k, hold[k], plan)
		requests = requests || hold[k] > int(p.have[k])+p.view.Held(p.index, k).Waiting
	}
	if !ready && s.Boots == 0 && requests {
		plan.AskAgain() // what is granted is ready at once
	}
	return ready
}

// Lay lays the job out on a schedule's cluster, where its instances have places: once all are ready.
func (p *Planner) Lay(s *Schedule, ready bool, plan *sim.Plan) {
	to := &plan.Jobs[p.index]
	switch {
	case !p.placed:
		to.Pipelines = 0
		to.Stages = 0
	case ready || !p.job.Training():
		to.Pipelines = s.First.Pipelines
		to.Stages = s.First.Stages
		to.Refill = to.Refill || p.job.Layout().Holes > 0
	}
}

// Wake has the policy asked when the schedule says something else.
func (p *Planner) Wake(s *Schedule, plan *sim.Plan) {
	next := min(s.Until, longest.Seconds())
	if s.Boots > 0 {
		next = min(next, s.Boots) // what is not ready then takes longer than planned
	}
	if p.waits(s) {
		next = max(next, 1) // it is ready within moments, or later than planned: to look again at once tells nothing
	}
	plan.WakeIn(time.Duration(math.Ceil(max(next, 1e-3) * 1e9)))
}

// waits reports whether a request waits in one of the pools of the schedule's first cluster.
func (p *Planner) waits(s *Schedule) bool {
	for k, n := range s.First.Counts {
		if n > 0 && p.view.Pool(k).OnDemand && p.view.Held(p.index, k).Waiting > 0 {
			return true
		}
	}
	return false
}

// longest is the time after which the policy looks again.
const longest = 10 * time.Minute
