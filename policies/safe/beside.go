package safe

import "github.com/marigram/marigram/sim"

// holdBeside has job j hold on demand, and next to it what the base asks for on spot, which takes over once it is
// ready: then what is still to be paid is less. It reports whether the base's plan is taken. What such swaps may risk
// beyond the limit is as much as waiting may cost: where spot comes in bursts each of them is in vain.
func (s *Safe) holdBeside(v sim.View, j int, c *clock, plan *sim.Plan) (taken bool) {
	if hasReady(v, j, plan) && !s.breaks(v, j, c, plan) {
		return true
	}
	if c.joins {
		s.holdNextToBase(c, plan)
		return false
	}
	asks := c.spot > 0 || asksForSpot(v, j, plan)
	if !asks || givesSpotBack(v, j, plan) {
		s.goAlone(v, j, c, plan)
		return false
	}
	saves := plan.Jobs[j].Save && c.over <= 0
	if can, late := s.foreseeSwap(v, j, c, plan); !can {
		s.goAlone(v, j, c, plan)
		plan.Jobs[j].Save = plan.Jobs[j].Save || saves && late // then it can
		return false
	}
	s.holdNextToBase(c, plan)
	if c.spot == 0 {
		plan.Jobs[j].Save = false // nothing is lost before spot comes
	}
	return false
}

// foreseeSwap reports whether the spot instances that the plan of job j holds could take over: with on demand gone, and
// then all that is not saved lost, another schedule on demand is in time, else it is late; and what is paid stays
// within what swaps may risk.
func (s *Safe) foreseeSwap(v sim.View, j int, c *clock, plan *sim.Plan) (can, late bool) {
	over := c.over
	ahead := c.ahead
	tried := s.inVain(v, j, c, plan)
	hold := plan.Jobs[j].Hold
	s.held = append(s.held[:0], hold...)
	for p := range hold {
		if v.Pool(p).OnDemand {
			hold[p] = 0
		}
	}
	s.swapping = true
	after := s.updateClock(v, j, over, true, plan)
	s.swapping = false
	late = after.last <= 0
	can = !late && over+tried+after.ahead-ahead <= after.again
	copy(hold, s.held)
	s.updateClock(v, j, over, false, plan)
	return can, late
}

// canSwap reports whether the base may swap on demand for spot that is ready next to it. It may where a loss takes
// nothing back, else where a save takes less than the boot of what is asked for, so that what was trained on demand is
// not at risk once spot joins it. Where giving back is a loss no gain was shown.
func (s *Safe) canSwap(v sim.View, j int, c *clock) bool {
	if !c.lax || c.joins {
		return c.lax
	}
	job := v.Job(j)
	for p := range v.Pools() {
		pool := v.Pool(p)
		if !pool.OnDemand && pool.Boot.Mean() <= saving(job) {
			return false
		}
	}
	return !s.planner.Placed()
}

// keepsProgress reports whether what job j has trained is likely to be kept under the plan: something of what trains
// stays, or spot is to take over.
func (s *Safe) keepsProgress(v sim.View, j int, plan *sim.Plan) bool {
	if !v.Job(j).Training() {
		return false
	}
	for p, n := range plan.Jobs[j].Hold {
		if n > 0 && v.Held(j, p).Ready > 0 {
			return true
		}
	}
	return s.swapping
}

// hasReady reports whether job j trains, and some of the spot instances that its plan holds are ready.
func hasReady(v sim.View, j int, plan *sim.Plan) bool {
	if !v.Job(j).Training() {
		return false
	}
	for p, n := range plan.Jobs[j].Hold {
		if n > 0 && !v.Pool(p).OnDemand && v.Held(j, p).Ready > 0 {
			return true
		}
	}
	return false
}

// asksForSpot reports whether the plan of job j asks for more spot instances than it has.
func asksForSpot(v sim.View, j int, plan *sim.Plan) bool {
	for p, n := range plan.Jobs[j].Hold {
		if !v.Pool(p).OnDemand && n > v.Active(j, p) {
			return true
		}
	}
	return false
}

// givesSpotBack reports whether the plan of job j holds fewer spot instances of a pool than it has.
func givesSpotBack(v sim.View, j int, plan *sim.Plan) bool {
	for p, n := range plan.Jobs[j].Hold {
		if !v.Pool(p).OnDemand && n < v.Active(j, p) {
			return true
		}
	}
	return false
}
