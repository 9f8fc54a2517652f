package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Decide implements sim.Policy.
func (d *Dally) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*dallyState)
	d.active = byNumber(v, d.active)
	s.count(v, plan, d.active)
	d.slots.count(v, plan, d.active)
	d.bidders = d.bidders[:0]
	for _, j := range d.active {
		x := &s.jobs[j]
		waits := plan.Held(j) == 0
		if !waits && x.lease > v.Now() {
			continue
		}
		if !waits {
			x.since = v.Now()
			d.old = parts(plan, j, d.old)
			d.slots.back(d.old)
		}
		plan.Job(j) // plans take effect in the order of the numbers
		x.score = d.score(v, j, x)
		d.bidders = append(d.bidders, j)
	}
	slices.SortFunc(d.bidders, func(a, b int) int {
		x, y := &s.jobs[a], &s.jobs[b]
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.since, y.since), cmp.Compare(x.number, y.number))
	})
	plan.SetReason("GPUs whose lease is over go to the jobs that the network slowed down most")
	wait := false
	for _, j := range d.bidders {
		placed := d.bid(v, plan, s, j)
		wait = wait || !placed
		if plan.Recorded() {
			plan.AddCandidate(sim.Candidate{Name: v.Job(j).Name(), Score: s.jobs[j].score, Unit: "of its speed", Note: notes[placed], Chosen: placed})
		}
	}
	if wait {
		d.wake(v, plan, s)
	}
}

// notes says why a job has no GPUs.
var notes = map[bool]string{false: "no GPUs are free that are close enough together"}

// count adds the time since the last decision to that of the jobs that hold GPUs, and notes new jobs.
func (s *dallyState) count(v sim.View, plan *sim.Plan, active []int) {
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, dallyJob{})
	}
	since := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range active {
		switch x, number := &s.jobs[j], v.Job(j).ID()+1; {
		case x.number != number:
			*x = dallyJob{number: number, since: v.Now(), ran: v.Job(j).Ran().Seconds()}
		case plan.Held(j) > 0:
			x.ran += since
		}
	}
}

// score is the part of its speed that a job has had so far: what it has done, by what it would have done on one
// server of the fastest GPUs.
func (d *Dally) score(v sim.View, j int, x *dallyJob) float64 {
	if x.ran == 0 {
		return 0
	}
	g, fastest := gang(v, j), 0.0
	for p := range v.Pools() {
		if p == 0 || v.Pool(p).GPU != v.Pool(p-1).GPU {
			fastest = max(fastest, speedIn(&d.layout, g, p))
		}
	}
	return (g.Work() - v.Job(j).WorkLeft()) / (x.ran * fastest)
}

// bid gives a job its GPUs, or leaves it those that it has; false: it waits.
func (d *Dally) bid(v sim.View, plan *sim.Plan, s *dallyState, j int) bool {
	x := &s.jobs[j]
	d.old = parts(plan, j, d.old)
	plan.Stop(j)
	had := len(d.old) > 0 && d.slots.has(d.old)
	d.hide(v, gang(v, j))
	defer d.show()
	placed := d.place(v, plan, s, j, had)
	if !placed && had {
		for _, part := range d.old {
			d.slots.take(plan, j, int(part.Pool), int(part.N))
		}
		placed = true
	}
	if placed {
		x.lease = v.Now().Add(d.Lease)
	}
	return placed
}

// hide takes the free GPUs on which a job does not run out of the count; show brings them back.
func (d *Dally) hide(v sim.View, g sim.GangModel) {
	d.hidden = d.hidden[:0]
	runs := true
	for p, n := range d.slots.free {
		if p == 0 || v.Pool(p).GPU != v.Pool(p-1).GPU {
			runs = speedIn(&d.layout, g, p) > 0
		}
		if runs {
			n = 0
		}
		d.hidden = append(d.hidden, n)
		d.slots.free[p] -= n
		d.slots.total -= n
	}
}

func (d *Dally) show() {
	for p, n := range d.hidden {
		d.slots.give(p, n)
	}
}

// wake asks for a decision when a lease ends, or a job that waits would take GPUs further apart.
func (d *Dally) wake(v sim.View, plan *sim.Plan, s *dallyState) {
	next := sim.Never
	for _, j := range d.active {
		x := &s.jobs[j]
		if plan.Held(j) > 0 {
			next = min(next, x.lease)
			continue
		}
		for apart := 1; apart <= len(v.Tiers())+1; apart++ {
			leases := d.wait(&s.tuner, gang(v, j).Gang(), apart)
			if at := x.since.Add(time.Duration(leases * float64(d.Lease))); at > v.Now() && !math.IsInf(leases, 1) {
				next = min(next, at)
			}
		}
	}
	if next > v.Now() && next != sim.Never {
		plan.WakeIn(next.Sub(v.Now()))
	}
}
