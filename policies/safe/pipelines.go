package safe

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/internal/kit"
	"github.com/marigram/marigram/sim"
)

// pipelines plans layouts on demand for a model of pipelines.
type pipelines struct {
	l    sim.Layout
	hold []int
}

// look implements onDemand.
func (x *pipelines) look(v sim.View, j int, s *Safe, c *clock, plan *sim.Plan) {
	job := v.Job(j)
	m, most := kit.Pipelines(v, j), 0
	c.held, c.sized, c.fastest, c.keep = math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	for p := range v.Pools() {
		if v.Pool(p).OnDemand {
			most += v.Held(j, p).Active()
			if !kit.Overdue(v, j, p, patience) {
				most += kit.Headroom(v, plan, j, p)
			}
		}
	}
	c.held = x.seconds(v, j, c.dear, c.now)
	for n := 1; n <= min(m.MostUseful(), most); n++ {
		if d, st := m.Best(n); d*st != n {
			continue // no faster than fewer
		}
		seconds := x.seconds(v, j, n, c.worst)
		c.fastest = min(c.fastest, seconds)
		sized := s.Size == 0 && x.seconds(v, j, n, math.Inf(1)) <= (1-s.Slack)*job.Objective().Within.Seconds() ||
			s.Size > 0 && n >= s.Size
		if sized && math.IsInf(c.sized, 1) {
			c.sized = seconds
		}
	}
	if math.IsInf(c.sized, 1) {
		c.sized = c.fastest
	}
}

// seconds returns the time to the goal on n instances on demand.
func (x *pipelines) seconds(v sim.View, j, n int, from float64) float64 {
	job, m, l := v.Job(j), kit.Pipelines(v, j), &x.l
	d, s := m.Best(n)
	onDemandLayout(l, v, j, d*s)
	l.Pipelines, l.Stages = int32(d), int32(s)
	rate := m.Rate(l).Progress
	if rate == 0 {
		return math.Inf(1)
	}
	begin := m.Begin(l)
	if !math.IsInf(from, 1) {
		begin = m.Goal(from)
	}
	return max(m.Goal(job.Objective().Loss)-begin, 0) / rate
}

// onDemandLayout puts n instances of the first pool on demand into l.
func onDemandLayout(l *sim.Layout, v sim.View, j, n int) {
	l.Pipelines, l.Stages, l.Holes, l.Servers = 0, 0, 0, int32(v.Job(j).Servers())
	l.Workers = slices.Grow(l.Workers[:0], v.Pools())[:v.Pools()]
	clear(l.Workers)
	for p := range l.Workers {
		if v.Pool(p).OnDemand {
			l.Workers[p] = int32(n)
			return
		}
	}
}

// typical implements onDemand: the fastest layout.
func (x *pipelines) typical(v sim.View, j int) *sim.Layout {
	m := kit.Pipelines(v, j)
	x.seconds(v, j, m.MostUseful(), math.Inf(1))
	return &x.l
}

// request implements onDemand. Pipelines are on demand alone.
func (x *pipelines) request(v sim.View, j int, c *clock, seconds float64, plan *sim.Plan) {
	m, hold := kit.Pipelines(v, j), plan.Jobs[j].Hold
	best, least, quick, soonest := 0, math.Inf(1), 0, math.Inf(1)
	for n := 1; n <= m.MostUseful(); n++ {
		if d, s := m.Best(n); d*s != n {
			continue
		}
		usdPerH, got := x.dearest(v, j, n, plan)
		if got < n {
			break
		}
		t := x.seconds(v, j, n, c.worst)
		if t < soonest {
			quick, soonest = n, t
		}
		if usd := usdPerH * t; t <= seconds && usd < least {
			best, least = n, usd
		}
	}
	feasible := best > 0
	if !feasible {
		best = quick
	}
	x.dearest(v, j, best, plan)
	copy(hold, x.hold)
	kit.ExplainChoice(v, hold, plan)
	plan.SetReason(kit.Reason(feasible, "on demand, while it meets the deadline"))
}

// dearest lists the n cheapest instances on demand in x.hold, those that are held
// first, and returns their price and number.
func (x *pipelines) dearest(v sim.View, j, n int, plan *sim.Plan) (usdPerH float64, got int) {
	x.hold = x.hold[:0]
	for range v.Pools() {
		x.hold = append(x.hold, 0)
	}
	take := func(p, most int) {
		k := min(most-x.hold[p], n-got)
		if k > 0 {
			x.hold[p] += k
			got += k
			usdPerH += float64(float64(k) * v.Price(p))
		}
	}
	for p := range v.Pools() {
		if v.Pool(p).OnDemand {
			take(p, v.Held(j, p).Active())
		}
	}
	for got < n {
		cheapest := -1
		for p := range v.Pools() {
			if v.Pool(p).OnDemand && !kit.Overdue(v, j, p, patience) && x.hold[p] < v.Held(j, p).Active()+kit.Headroom(v, plan, j, p) &&
				(cheapest < 0 || v.Price(p) < v.Price(cheapest)) {
				cheapest = p
			}
		}
		if cheapest < 0 {
			break
		}
		take(cheapest, v.Held(j, cheapest).Active()+kit.Headroom(v, plan, j, cheapest))
	}
	return usdPerH, got
}

// layout implements onDemand.
func (x *pipelines) layout(v sim.View, j, n int) (pipelines, stages int) {
	return kit.Pipelines(v, j).Best(n)
}
