package schedulers

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Decide implements sim.Policy.
func (d *Deadlines) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*deadlineState)
	s.setUp(v)
	d.takeEvents(v, plan, s)
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

// takeEvents takes in which jobs came and went, what was refused, and how long pools were used.
func (d *Deadlines) takeEvents(v sim.View, plan *sim.Plan, s *deadlineState) {
	since := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for p := range s.pools {
		x := &s.pools[p]
		x.price, x.down = v.Price(p), v.Down(p)
		if x.kind != ownServers {
			x.free = v.Free(p)
		}
		if x.kind == demandPool && x.full > v.Now() {
			x.free = 0
		}
		if x.kind == spotPool {
			if x.held > 0 {
				x.exposed += since
			}
			x.losses = (1 + float64(v.Seen(p).Removals)) / (d.PriorHours + x.exposed/3600)
		}
	}
	for _, n := range v.JobChanges() {
		switch n.What {
		case sim.JobSubmitted:
			d.come(v, plan, s, n.Job)
		case sim.JobFinished, sim.JobLost:
			s.leave(plan, n.Job)
		}
	}
	for _, j := range v.ActiveJobs() {
		if x := &s.jobs[j]; x.where == onSpot && v.Job(j).Waiting() > 0 {
			s.pools[x.at].refuse(v.Now(), v.Now().Add(d.Retry), plan.Held(j))
			s.stop(plan, j)
			s.refused = true
		} else if x.where == rentsOnDemand && holdsPart(v, plan, j) {
			y := &s.pools[x.at]
			y.full = v.Now().Add(d.Retry)
			y.free = 0
			s.stop(plan, j)
		}
		if lost(v, plan, j) { // a server failed: it gets others
			s.stop(plan, j)
		}
	}
}

// come makes the slot of a job ready.
func (d *Deadlines) come(v sim.View, plan *sim.Plan, s *deadlineState, j int) {
	for len(s.jobs) <= j {
		s.jobs = append(s.jobs, deadlineJob{})
		for range s.pools {
			s.speeds = append(s.speeds, 0)
		}
	}
	g, speed, x := gang(v, j), s.speed(j), deadlineJob{deadline: v.Job(j).Deadline()}
	for p := range s.pools {
		speed[p] = d.rate(g, p).Progress
		x.quickest = max(x.quickest, speed[p])
		if s.pools[p].kind == ownServers && speed[p] > 0 {
			x.rate = max(x.rate, speed[p])
			x.servers += v.Pool(p).Quota
		}
		x.mayRent = x.mayRent || s.pools[p].kind != ownServers && speed[p] > 0 && v.Pool(p).Quota >= g.Gang()
	}
	s.jobs[j] = x
	s.find(plan, j)
}

// wake wakes the policy when a job that waits has to be looked at.
func (d *Deadlines) wake(v sim.View, plan *sim.Plan, s *deadlineState) {
	next := sim.Never
	for _, j := range s.order {
		if x := &s.jobs[j]; x.where == jobWaits {
			next = min(next, v.Now().Add(pollEvery))
			if x.slack > 0 {
				next = min(next, v.Now().Add(secondsAhead(x.slack)))
			}
		}
	}
	if in := next.Sub(v.Now()); next != sim.Never && in > 0 {
		plan.WakeIn(in)
	}
}

// pollEvery is the time between two checks of jobs that wait.
const pollEvery = 5 * time.Minute

// secondsAhead turns seconds into a span, at least a microsecond.
func secondsAhead(s float64) time.Duration {
	if s > 1e9 {
		return 1e9 * time.Second
	}
	return max(time.Duration(s*float64(time.Second)), time.Microsecond)
}

// explain records where the jobs are that have nothing, or are not where they cost least.
func (d *Deadlines) explain(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, j := range s.order {
		x := &s.jobs[j]
		c := sim.Candidate{Name: v.Job(j).Name(), Score: x.slack / 3600, Unit: "h of slack", Note: whereNames[x.where], Chosen: x.where != jobWaits}
		if x.where == jobWaits && x.rents {
			c.Note = "no spot pool has capacity; there is time until its latest start"
		}
		plan.AddCandidate(c)
	}
}

// freeServers returns how many GPUs of servers are free on which a job runs.
func (s *deadlineState) freeServers(j int) int {
	n, speed := 0, s.speed(j)
	for p := range s.pools {
		if speed[p] > 0 {
			n += s.pools[p].idle()
		}
	}
	return n
}

// take gives a job GPUs of servers: of the first that has enough, else of those that are free.
func (s *deadlineState) take(plan *sim.Plan, j, n int) {
	s.stop(plan, j)
	s.jobs[j].where = onServers
	speed := s.speed(j)
	fits := func(p, smallest int) bool { return speed[p] > 0 && s.pools[p].idle() >= smallest }
	for p := range s.pools {
		if fits(p, n) {
			plan.Place(j, p, n)
			s.pools[p].free -= n
			return
		}
	}
	for p := range s.pools {
		if k := min(n, s.pools[p].free); n > 0 && fits(p, 1) {
			plan.Place(j, p, k)
			s.pools[p].free -= k
			n -= k
		}
	}
}

// displace gives servers to jobs that need GPUs on demand otherwise, and takes them from jobs with later
// deadlines where renting for these is cheaper.
func (d *Deadlines) displace(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, j := range s.order {
		x := &s.jobs[j]
		n := gang(v, j).Gang()
		if x.slack > 0 || x.where == onServers || s.freeServers(j) >= n {
			continue // fill gives it what is free
		}
		p := s.rentable(j)
		if p < 0 {
			continue
		}
		largest := float64(n) * s.pools[p].price / s.spotPrice(p)
		victims, free := len(s.order), s.freeServers(j)
		for taken := 0; victims > 0 && free < n; {
			victims--
			if y := &s.jobs[s.order[victims]]; y.where == onServers && y.slack > 0 && y.deadline > x.deadline {
				k := plan.Held(s.order[victims])
				if taken += k; float64(taken) > largest {
					break
				}
				free += k
			}
		}
		if free < n {
			continue
		}
		for _, k := range s.order[victims:] {
			if y := &s.jobs[k]; y.where == onServers && y.slack > 0 && y.deadline > x.deadline {
				s.stop(plan, k)
			}
		}
		if s.freeServers(j) >= n {
			s.take(plan, j, n)
		}
	}
}

// spotPrice is what a displaced job pays: the least price of spot pools that are not full, else that on demand.
func (s *deadlineState) spotPrice(demand int) float64 {
	smallest := s.pools[demand].price
	for p := range s.pools {
		if x := &s.pools[p]; x.asks(s.at, 1) {
			smallest = min(smallest, x.price)
		}
	}
	return max(smallest, 1e-9)
}

// fill gives servers that are free to jobs: first to those on demand or about to be, then by deadline.
func (d *Deadlines) fill(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, urgent := range [...]bool{true, false} {
		for _, j := range s.order {
			x := &s.jobs[j]
			n := gang(v, j).Gang()
			if x.where == onServers || x.rate == 0 || urgent != (x.slack <= 0 || x.where == rentsOnDemand) || s.freeServers(j) < n {
				continue
			}
			s.take(plan, j, n)
		}
	}
}

// rent gives GPUs on demand to jobs past their latest start, and spot to those that cannot wait for servers. It reports
// whether spot was asked for.
func (d *Deadlines) rent(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	for _, j := range s.order {
		x := &s.jobs[j]
		if x.where != jobWaits {
			continue
		}
		n := gang(v, j).Gang()
		if p := s.rentable(j); p >= 0 && s.pools[p].free >= n && (x.slack <= 0 || d.onlyOnDemand(v, s, j, n)) {
			s.place(plan, j, p, n, rentsOnDemand)
			continue
		}
		if d.Form == DeadlineOnDemand || !x.rents && x.slack > 0 {
			continue
		}
		if p := d.cheapest(v, s, j, n); p >= 0 {
			s.place(plan, j, p, n, onSpot)
			s.pools[p].held++
			asked = true
		}
	}
	return asked
}

// onlyOnDemand reports whether a job without a deadline would wait for ever: no servers have enough GPUs for it when they are empty,
// and no spot pool costs less than on demand.
func (d *Deadlines) onlyOnDemand(v sim.View, s *deadlineState, j, n int) bool {
	x, speed, p := &s.jobs[j], s.speed(j), s.rentable(j)
	if v.Job(j).Objective().Within < sim.NoDeadline || n <= x.servers {
		return false
	}
	cheaper := func(q int) bool {
		return s.pools[q].kind == spotPool && speed[q] > 0 && s.pools[q].price/speed[q] < s.pools[p].price/speed[p]
	}
	for q := range s.pools {
		if d.Form != DeadlineOnDemand && cheaper(q) {
			return false
		}
	}
	return true
}

// place rents GPUs for a job.
func (s *deadlineState) place(plan *sim.Plan, j, p, n int, where whereabouts) {
	s.jobs[j].where, s.jobs[j].at = where, p
	s.pools[p].free -= n
	plan.Place(j, p, n)
}

// drain takes GPUs under notice out of use shortly before they go, so that the job is saved and loses nothing, or once it has
// others.
func (d *Deadlines) drain(v sim.View, plan *sim.Plan, j int) {
	going := v.Job(j).Leaving()
	if going == sim.Never {
		if plan.Jobs[j].Drain {
			plan.Job(j).Drain = false
		}
		return
	}
	ready := 0
	for _, x := range plan.Parts(j) {
		ready += v.Held(j, int(x.Pool)).Ready
	}
	left := going.Sub(v.Now()) - drainLead
	if left <= 0 || ready > 0 && ready == plan.Held(j) || atOnce(v, plan, j) {
		plan.Job(j).Drain = true
	} else {
		plan.WakeIn(left)
	}
}

// atOnce reports whether a job is to have GPUs that are ready at once.
func atOnce(v sim.View, plan *sim.Plan, j int) bool {
	return slices.ContainsFunc(plan.Parts(j), func(x sim.Part) bool { return x.N > 0 && v.Pool(int(x.Pool)).Boot.Median == 0 })
}

// cheapest returns the spot pool in which a job's work costs least, -1 where none has capacity or on demand is cheaper.
func (d *Deadlines) cheapest(v sim.View, s *deadlineState, j, n int) int {
	x, speed := &s.jobs[j], s.speed(j)
	best, smallest := -1, math.Inf(1)
	if p := s.rentable(j); p >= 0 { // what costs more than on demand is of no use
		smallest = s.pools[p].price / speed[p]
	}
	g := gang(v, j)
	again := d.restart(g)
	for p := range s.pools {
		y := &s.pools[p]
		boot, risk := v.Pool(p).Boot.Mean().Seconds(), d.risk(v, j, g, p)
		if !y.asks(v.Now(), n) || speed[p] <= 0 || x.slack > 0 && x.slack < boot+again+risk {
			continue
		}
		lost := y.losses / 3600 * (risk/2 + again + boot)
		if usd := y.price / speed[p] * (1 + lost); usd < smallest {
			best, smallest = p, usd
		}
	}
	return best
}
