package safe

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Worst returns by how much job j exceeds the limit at worst if it holds so many instances by pool, USD, as of the
// decision under way; without a limit -Inf. At worst what is billed
// of spot instances that are new, or whose unit ends now, is in vain, a restart follows, and on demand begins only once
// new ones on spot could be ready, with boots at their bound, unless the schedule that is cheapest then is held.
func (s *Safe) Worst(v sim.View, j int, hold []int32, plan *sim.Plan) float64 {
	c := &s.clocks[j]
	if c.none || math.IsInf(c.over, -1) {
		return math.Inf(-1)
	}
	planned := plan.Jobs[j].Hold
	s.held = append(s.held[:0], planned...)
	for k, n := range hold {
		planned[k] = int(n)
	}
	s.foreseen.Share = s.planner.Share
	s.foreseen.Update(v, j, nil, true, plan)
	tried, unused := s.wasted(v, j, planned)
	wait := s.waits(v, j, planned)
	spot := holdsSpot(v, planned)
	copy(planned, s.held)

	start := c.request()
	start.Stall = 0
	if spot && !c.joins {
		start.Stall = s.stopOf(v.Job(j))
	}
	ahead, best := s.costBy(&s.foreseen, c, start, time.Microsecond.Seconds())
	if wait > 0 && !isHeld(best.First.Counts, hold) {
		wait += best.Boots - best.Likely // later it may take as long
		ahead, _ = s.costBy(&s.foreseen, c, start, wait)
		for k, n := range hold {
			if v.Pool(k).OnDemand {
				ahead += float64(n) * v.Price(k) * wait / 3600
			}
		}
	}
	return c.over - c.ahead + ahead + tried + unused
}

// wasted returns what is paid in vain at worst if job j holds so many instances by pool, USD: the least that is billed
// of spot instances that are new, or whose unit ends now; and what is paid on demand of those that go, as the planner
// has them go.
func (s *Safe) wasted(v sim.View, j int, hold []int) (tried, unused float64) {
	s.instances = v.Job(j).Instances(s.instances[:0])
	for k, n := range hold {
		s.paid = s.paid[:0]
		for i := range s.instances {
			if x := &s.instances[i]; x.Pool == k && !x.Noticed {
				age := v.Now().Sub(x.Granted)
				s.paid = append(s.paid, v.Billed(k, age)-age)
			}
		}
		slices.Sort(s.paid)
		goes := max(len(s.paid)-n, 0)
		if v.Pool(k).OnDemand {
			for _, left := range s.paid[:goes] {
				unused += left.Hours() * v.Price(k)
			}
			continue
		}
		begin := max(n-len(s.paid), 0)
		for _, left := range s.paid[goes:] {
			if left == 0 && policyutil.CoarselyBilled(v, k) {
				begin++
			}
		}
		tried += float64(float64(begin) * v.Price(k) * v.Billed(k, time.Microsecond).Hours())
	}
	return tried, unused
}

// waits returns how long on demand has to wait if job j holds so many instances by pool, s: until what is new on spot is
// ready, or else the next look. Where some on spot train it need not wait: that they go is seen as it comes.
func (s *Safe) waits(v sim.View, j int, hold []int) float64 {
	job := v.Job(j)
	trains := false
	boots := 0.0
	for k, n := range hold {
		if n == 0 || v.Pool(k).OnDemand {
			continue
		}
		held := v.Held(j, k)
		trains = trains || held.Ready > 0 && (job.Training() || job.Paused() != sim.Never)
		if n > held.Active() {
			boots = max(boots, s.Look.Seconds(), policyutil.ReadyAfter(v.Pool(k).Boot, n, s.Share))
		}
	}
	if trains {
		return boots
	}
	s.instances = job.Instances(s.instances[:0])
	for i := range s.instances {
		if x := &s.instances[i]; !x.Ready && !x.Noticed && hold[x.Pool] > 0 && !v.Pool(x.Pool).OnDemand {
			age := v.Now().Sub(x.Granted).Seconds()
			boots = max(boots, policyutil.ReadyIn(v.Pool(x.Pool).Boot, age, hold[x.Pool], s.Share))
		}
	}
	if boots > 0 {
		return boots
	}
	return s.Look.Seconds()
}

// inVain returns what cannot be taken back of the spot instances that the plan of job j asks for, USD: what is wasted
// of them, and the stall of a restart once the first of them have trained and go. What they cost beyond that, and the
// time that passes, is seen as it comes.
func (s *Safe) inVain(v sim.View, j int, c *clock, plan *sim.Plan) float64 {
	usd, _ := s.wasted(v, j, plan.Jobs[j].Hold)
	if usd == 0 {
		return 0
	}
	return usd + s.restartInVain(v, j, c, plan)
}

// holdsSpot reports whether some instances that are to be held are on spot.
func holdsSpot(v sim.View, hold []int) bool {
	for k, n := range hold {
		if n > 0 && !v.Pool(k).OnDemand {
			return true
		}
	}
	return false
}

// isHeld reports whether a cluster has no more of any pool than is held.
func isHeld(counts, hold []int32) bool {
	for k, n := range counts {
		if n > hold[k] {
			return false
		}
	}
	return true
}
