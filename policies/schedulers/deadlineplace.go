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
	d.appraise(v, s)
	plan.SetReason("servers by deadline, spot while there is slack, on demand from the latest start on")
	d.displace(v, plan, s)
	d.fill(v, plan, s)
	if d.rent(v, plan, s) {
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
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for p := range s.pools {
		d.look(v, s, p, seconds)
	}
	s.seeSpot(v, seconds)
	for _, change := range v.JobChanges() {
		switch change.What {
		case sim.JobSubmitted:
			d.takeJob(v, plan, s, change.Job)
		case sim.JobFinished, sim.JobLost:
			s.leave(plan, change.Job)
		}
	}
	for _, j := range v.ActiveJobs() {
		job := &s.jobs[j]
		if job.where == onSpot && v.Job(j).Waiting() > 0 {
			s.pools[job.at].refuse(v.Now(), v.Now().Add(d.Retry), plan.Held(j))
			s.stop(plan, j)
			s.refused = true
		} else if job.where == rentsOnDemand && holdsPart(v, plan, j) {
			s.pools[job.at].full = v.Now().Add(d.Retry)
			s.book.set(job.at, 0)
			s.stop(plan, j)
		}
		if hasFailed(v, plan, j) { // a server failed: it gets others
			s.stop(plan, j)
		}
	}
}

// look takes in how a pool is, so many seconds after the last look.
func (d *Deadlines) look(v sim.View, s *deadlineState, p int, seconds float64) {
	pool := &s.pools[p]
	pool.price = v.Price(p)
	pool.down = v.Down(p)
	if pool.kind != ownServers {
		s.book.set(p, v.Free(p))
	}
	if pool.kind == demandPool && pool.full > v.Now() {
		s.book.set(p, 0)
	}
	if pool.kind == spotPool {
		if pool.held > 0 {
			pool.exposed += seconds
		}
		pool.losses = (1 + float64(v.Seen(p).Removals)) / (d.PriorHours + pool.exposed/3600)
	}
}

// seeSpot takes in whether there was spot for so many seconds: some job had it, or all pools had been refused.
func (s *deadlineState) seeSpot(v sim.View, seconds float64) {
	refused := true
	for p := range s.pools {
		pool := &s.pools[p]
		if pool.kind != spotPool {
			continue
		}
		if pool.held > 0 {
			s.hadSpot += seconds
			refused = false
			break
		}
		refused = refused && pool.full >= v.Now()
	}
	if refused {
		s.noSpot += seconds
	}
}

// spotShare is the part of the time in which there is spot, by what was seen and, before, as many hours with it as
// without.
func (s *deadlineState) spotShare(priorHours float64) float64 {
	prior := 3600 * priorHours
	return (prior + s.hadSpot) / (2*prior + s.hadSpot + s.noSpot)
}

// takeJob makes the slot of a job ready.
func (d *Deadlines) takeJob(v sim.View, plan *sim.Plan, s *deadlineState, j int) {
	for len(s.jobs) <= j {
		s.jobs = append(s.jobs, deadlineJob{})
		for range s.pools {
			s.speeds = append(s.speeds, 0)
		}
	}
	model := gang(v, j)
	speed := s.speed(j)
	job := deadlineJob{deadline: v.Job(j).Deadline()}
	for p := range s.pools {
		speed[p] = SpeedIn(&d.layout, model, p)
		job.quickest = max(job.quickest, speed[p])
		if speed[p] <= 0 {
			continue
		}
		if s.pools[p].kind == ownServers {
			job.rate = max(job.rate, speed[p])
			job.servers += v.Pool(p).Quota
		} else if v.Pool(p).Quota >= model.Gang() {
			job.mayRent = true
			job.reserve = d.Reserve.Seconds()
		}
	}
	s.jobs[j] = job
	s.jobs[j].move = s.longestMove(v, j)
	s.find(plan, j)
}

// longestMove is how long a job's state takes at most from or to a pool that can be rented, seconds.
func (s *deadlineState) longestMove(v sim.View, j int) float64 {
	speed := s.speed(j)
	longest := time.Duration(0)
	for rented := range s.pools {
		if s.pools[rented].kind == ownServers || speed[rented] <= 0 {
			continue
		}
		for other := range s.pools {
			if speed[other] > 0 {
				longest = max(longest, v.Job(j).Move(rented, other).Time, v.Job(j).Move(other, rented).Time)
			}
		}
	}
	return longest.Seconds()
}

// wake wakes the policy when a job that waits has to be looked at.
func (d *Deadlines) wake(v sim.View, plan *sim.Plan, s *deadlineState) {
	next := sim.Never
	for _, j := range s.order {
		job := &s.jobs[j]
		if job.where != jobWaits {
			continue
		}
		next = min(next, v.Now().Add(pollEvery))
		if job.slack > 0 {
			next = min(next, v.Now().Add(secondsAhead(job.slack)))
		}
	}
	if next != sim.Never && next > v.Now() {
		plan.WakeIn(next.Sub(v.Now()))
	}
}

// pollEvery is the time between two checks of jobs that wait.
const pollEvery = 5 * time.Minute

// secondsAhead turns seconds into a span, at least a microsecond.
func secondsAhead(seconds float64) time.Duration {
	if seconds > 1e9 {
		return 1e9 * time.Second
	}
	return max(time.Duration(seconds*float64(time.Second)), time.Microsecond)
}

// explain records where the jobs are that have nothing, or are not where they cost least.
func (d *Deadlines) explain(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, j := range s.order {
		job := &s.jobs[j]
		note := whereNames[job.where]
		if job.where == jobWaits && job.rents {
			note = "no spot pool has capacity; there is time until its latest start"
		}
		plan.AddCandidate(sim.Candidate{
			Name:   v.Job(j).Name(),
			Score:  job.slack / 3600,
			Unit:   "h of slack",
			Note:   note,
			Chosen: job.where != jobWaits,
		})
	}
}

// freeServers returns how many GPUs of servers are free on which a job runs.
func (s *deadlineState) freeServers(j int) int {
	speed := s.speed(j)
	free := 0
	for p := range s.pools {
		if speed[p] > 0 {
			free += s.idle(p)
		}
	}
	return free
}

// takeServers gives a job GPUs of servers: of the first that has enough, else of those that are free.
func (s *deadlineState) takeServers(plan *sim.Plan, j, n int) {
	s.stop(plan, j)
	s.jobs[j].where = onServers
	speed := s.speed(j)
	for p := range s.pools {
		if speed[p] > 0 && s.idle(p) >= n {
			s.book.take(plan, j, p, n)
			return
		}
	}
	for p := range s.pools {
		taken := min(n, s.idle(p))
		if speed[p] > 0 && taken > 0 {
			s.book.take(plan, j, p, taken)
			n -= taken
		}
	}
}

// displace gives servers to jobs that need GPUs on demand otherwise, and takes them from jobs with later
// deadlines where renting for these is cheaper.
func (d *Deadlines) displace(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, j := range s.order {
		job := &s.jobs[j]
		n := gang(v, j).Gang()
		if job.slack > 0 || job.where == onServers || s.freeServers(j) >= n {
			continue // fill gives it what is free
		}
		p := s.cheapestOnDemand(j)
		if p == none {
			continue
		}
		maxTaken := float64(n) * s.pools[p].price / s.spotPrice(p)
		victims, enough := s.findVictims(plan, j, n, maxTaken)
		if !enough {
			continue
		}
		for _, victim := range s.order[victims:] {
			if s.mayDisplace(victim, job.deadline) {
				s.stop(plan, victim)
			}
		}
		if s.freeServers(j) >= n {
			s.takeServers(plan, j, n)
		}
	}
}

// findVictims returns from where on in order the jobs are whose servers suffice for n GPUs of job j, at most so many of
// them; false if they do not.
func (s *deadlineState) findVictims(plan *sim.Plan, j, n int, maxTaken float64) (victims int, enough bool) {
	victims = len(s.order)
	free := s.freeServers(j)
	taken := 0
	for victims > 0 && free < n {
		victims--
		victim := s.order[victims]
		if !s.mayDisplace(victim, s.jobs[j].deadline) {
			continue
		}
		held := plan.Held(victim)
		taken += held
		if float64(taken) > maxTaken {
			return victims, false
		}
		free += held
	}
	return victims, free >= n
}

// mayDisplace reports whether a job has servers that one with a deadline may take.
func (s *deadlineState) mayDisplace(victim int, deadline sim.Time) bool {
	job := &s.jobs[victim]
	return job.where == onServers && job.slack > 0 && job.deadline > deadline
}

// spotPrice is what a displaced job pays: the least price of spot pools that are not full, else that on demand.
func (s *deadlineState) spotPrice(demand int) float64 {
	smallest := s.pools[demand].price
	for p := range s.pools {
		if s.mayRequest(p, s.at, 1) {
			smallest = min(smallest, s.pools[p].price)
		}
	}
	return max(smallest, 1e-9)
}

// fill gives servers that are free to jobs: first to those on demand or about to be, then by deadline.
func (d *Deadlines) fill(v sim.View, plan *sim.Plan, s *deadlineState) {
	for _, urgent := range [...]bool{true, false} {
		for _, j := range s.order {
			job := &s.jobs[j]
			isUrgent := job.slack <= 0 || job.where == rentsOnDemand
			if job.where == onServers || job.rate == 0 || urgent != isUrgent {
				continue
			}
			n := gang(v, j).Gang()
			if s.freeServers(j) >= n {
				s.takeServers(plan, j, n)
			}
		}
	}
}

// rent gives GPUs on demand to jobs past their latest start, and spot to those that cannot wait for servers. It reports
// whether spot was asked for.
func (d *Deadlines) rent(v sim.View, plan *sim.Plan, s *deadlineState) (asked bool) {
	for _, j := range s.order {
		job := &s.jobs[j]
		if job.where != jobWaits {
			continue
		}
		n := gang(v, j).Gang()
		if d.mayRentOnDemand(v, s, j, n) {
			s.rent(plan, j, s.cheapestOnDemand(j), n)
			continue
		}
		if d.Form == DeadlineOnDemand || !job.rents && job.slack > 0 {
			continue
		}
		if p := d.cheapestSpot(v, s, j, n); p != none {
			s.rent(plan, j, p, n)
			asked = true
		}
	}
	return asked
}

// mayRentOnDemand reports whether a job is to rent on demand and n GPUs are free there: it is past its latest start, or
// would wait for ever.
func (d *Deadlines) mayRentOnDemand(v sim.View, s *deadlineState, j, n int) bool {
	p := s.cheapestOnDemand(j)
	return p != none && s.book.free[p] >= n && (s.jobs[j].slack <= 0 || d.onlyOnDemand(v, s, j, n))
}

// onlyOnDemand reports whether a job without a deadline would wait for ever: no servers have enough GPUs for it when
// they are empty, and no spot pool costs less than on demand.
func (d *Deadlines) onlyOnDemand(v sim.View, s *deadlineState, j, n int) bool {
	if v.Job(j).Objective().Within < sim.NoDeadline || n <= s.jobs[j].servers {
		return false
	}
	speed := s.speed(j)
	demand := s.cheapestOnDemand(j)
	for p := range s.pools {
		isSpot := s.pools[p].kind == spotPool && speed[p] > 0
		if d.Form != DeadlineOnDemand && isSpot && s.pools[p].price/speed[p] < s.pools[demand].price/speed[demand] {
			return false
		}
	}
	return true
}

// rent rents GPUs for a job, on spot or on demand.
func (s *deadlineState) rent(plan *sim.Plan, j, p, n int) {
	job := &s.jobs[j]
	job.where = s.pools[p].kind.whereabouts()
	job.at = p
	if job.where == onSpot {
		s.pools[p].held++
	}
	s.book.take(plan, j, p, n)
}

// drain takes GPUs under notice out of use shortly before they go, so that the job is saved and loses nothing, or
// once it has others.
func (d *Deadlines) drain(v sim.View, plan *sim.Plan, j int) {
	going := v.Job(j).Leaving()
	if going == sim.Never {
		if plan.Jobs[j].Drain {
			plan.Job(j).Drain = false
		}
		return
	}
	ready := 0
	for _, part := range plan.Parts(j) {
		ready += v.Held(j, int(part.Pool)).Ready
	}
	left := going.Sub(v.Now()) - drainLead
	if left <= 0 || ready > 0 && ready == plan.Held(j) || isReadyAtOnce(v, plan, j) {
		plan.Job(j).Drain = true
	} else {
		plan.WakeIn(left)
	}
}

// isReadyAtOnce reports whether a job is to have GPUs that are ready at once.
func isReadyAtOnce(v sim.View, plan *sim.Plan, j int) bool {
	return slices.ContainsFunc(plan.Parts(j), func(part sim.Part) bool {
		return part.N > 0 && v.Pool(int(part.Pool)).Boot.Median == 0
	})
}

// cheapestSpot returns the spot pool in which a job's work costs least, none where none has capacity or on demand is
// cheaper.
func (d *Deadlines) cheapestSpot(v sim.View, s *deadlineState, j, n int) int {
	slack := s.jobs[j].slack
	speed := s.speed(j)
	cheapest := none
	least := math.Inf(1)
	if p := s.cheapestOnDemand(j); p != none { // what costs more than on demand is of no use
		least = s.pools[p].price / speed[p]
	}
	model := gang(v, j)
	restart := d.restart(s, j, model)
	for p := range s.pools {
		if !s.mayRequest(p, v.Now(), n) || speed[p] <= 0 {
			continue
		}
		boot := v.Pool(p).Boot.Mean().Seconds()
		if slack > 0 && slack < boot+restart+d.risk(v, model, p) {
			continue
		}
		usd := s.pools[p].price / speed[p] * (1 + d.lostOn(v, s, j, p))
		if usd < least {
			least = usd
			cheapest = p
		}
	}
	return cheapest
}

// lostOn is what losses take of the time of a job in a spot pool, over what it does there.
func (d *Deadlines) lostOn(v sim.View, s *deadlineState, j, p int) float64 {
	g := gang(v, j)
	return s.pools[p].losses / 3600 * (d.risk(v, g, p)/2 + d.restart(s, j, g) + v.Pool(p).Boot.Mean().Seconds())
}
