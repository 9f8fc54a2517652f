package schedulers

import (
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
		x.price = v.Price(p)
		if x.kind != ownServers {
			x.free = v.Free(p)
		}
		if x.kind == spotPool {
			if x.held > 0 {
				x.exposed += since
			}
			x.losses = (1 + float64(v.Seen(p).Removals)) / (d.PriorHours + x.exposed/3600)
		}
	}
	for _, n := range v.News() {
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
