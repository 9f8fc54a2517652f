package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Dally (arXiv 2401.16492; aakash-sharma/cluster-sim at 4cd660e) keeps jobs close together: a job waits some time for
// the GPUs of one server, then takes those of one rack, and after some more time those of one place of each further tier
// (Pool.Above), in the end any. GPUs are leased; when a lease is
// over, jobs that wait may take them, those first that the network has slowed down most (a new job before all). Pools
// are servers; those of a rack follow one another, and Region is the rack.
//
// The public code is replayed, with its slips, by papers/dally/reference. Here a job whose lease is over keeps
// its GPUs if no other gets them and none closer together are free.
type Dally struct {
	Lease time.Duration `set:"lease_s" min:"1" max:"864000" doc:"how long a job keeps its GPUs at least"`
	// Rack and Network are how many leases a job waits for one server before it takes several of a rack, and for
	// one rack before it takes any. Both -1: they follow the waits of the last History leases.
	Rack    int `set:"rack_leases" min:"-1" max:"100000" doc:"leases that a job waits for one server before it takes several of a rack; -1, with network_leases: by what jobs waited"`
	Network int `set:"network_leases" min:"-1" max:"100000" doc:"leases that a job waits for one rack before it takes several, and for each further tier as much longer as for racks; -1, with rack_leases: by what jobs waited"`
	History int `set:"history_leases" min:"1" max:"100000" doc:"leases for which a wait counts"`

	room    room
	active  []int // jobs, by their numbers
	bidders []int
	layout  sim.Layout
	old     []sim.Part
	hidden  []int // free GPUs on which the bidder does not run
}

// Name implements sim.Policy.
func (*Dally) Name() string { return "dally" }

// Traits says what the policy is.
func (*Dally) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*Dally) RentsOnDemand() bool { return false }

// NewDally returns Dally with the settings of its public code.
func NewDally() *Dally { return &Dally{Lease: 10 * time.Minute, Rack: -1, Network: -1, History: 24} }

// dallyState is what Dally remembers.
type dallyState struct {
	jobs  []dallyJob
	at    sim.Time // the last decision
	tuner delays
}

// dallyJob is what is known of a job.
type dallyJob struct {
	number int      // of the job, from 1
	since  sim.Time // when it began to wait
	lease  sim.Time // end
	ran    float64  // s with GPUs
	score  float64  // part of its speed that the network left it; lower is first
}

// NewState implements sim.Stateful.
func (d *Dally) NewState(from, _ any) any {
	if was, ok := from.(*dallyState); ok {
		return &dallyState{slices.Clone(was.jobs), was.at, was.tuner.clone()}
	}
	return &dallyState{}
}

// Decide implements sim.Policy.
func (d *Dally) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*dallyState)
	d.active = byNumber(v, d.active)
	s.count(v, plan, d.active)
	d.room.count(v, plan, d.active)
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
			d.room.back(d.old)
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

// hide takes the free GPUs on which a job does not run out of the count; show brings them back.
func (d *Dally) hide(v sim.View, g sim.GangModel) {
	d.hidden = d.hidden[:0]
	runs := true
	for p, n := range d.room.free {
		if p == 0 || v.Pool(p).GPU != v.Pool(p-1).GPU {
			runs = speedIn(&d.layout, g, p) > 0
		}
		if runs {
			n = 0
		}
		d.hidden = append(d.hidden, n)
		d.room.free[p] -= n
		d.room.total -= n
	}
}

func (d *Dally) show() {
	for p, n := range d.hidden {
		d.room.give(p, n)
	}
}

// bid gives a job its GPUs, or leaves it those that it has; false: it waits.
func (d *Dally) bid(v sim.View, plan *sim.Plan, s *dallyState, j int) bool {
	x := &s.jobs[j]
	d.old = parts(plan, j, d.old)
	plan.Stop(j)
	had := len(d.old) > 0 && d.room.has(d.old)
	d.hide(v, gang(v, j))
	defer d.show()
	placed := d.place(v, plan, s, j, had)
	if !placed && had {
		for _, part := range d.old {
			d.room.take(plan, j, int(part.Pool), int(part.N))
		}
		placed = true
	}
	if placed {
		x.lease = v.Now().Add(d.Lease)
	}
	return placed
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
