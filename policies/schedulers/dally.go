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

	slots   slots
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
	full  FullPools
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
		return &dallyState{jobs: slices.Clone(was.jobs), at: was.at, tuner: was.tuner.clone(), full: slices.Clone(was.full)}
	}
	return &dallyState{}
}

// place gives a job GPUs as close together as it can have by now, and reports whether it did. A job that could keep
// what it had only takes what is closer together. How far apart GPUs are is counted as sim.Market.Apart does.
func (d *Dally) place(v sim.View, plan *sim.Plan, s *dallyState, j int, had bool) bool {
	n, spread, tiers := gang(v, j).Gang(), math.MaxInt, v.Tiers()
	if had {
		spread = d.spread(tiers)
	}
	waited := float64(v.Now().Sub(s.jobs[j].since)) / float64(d.Lease)
	if spread > 0 && d.slots.onOne(plan, j, n) {
		s.tuner.note(oneServer, n, waited, v.Now(), d.span())
		return true
	}
	within := d.slots.large // GPUs of the largest place of the tier below
	for k, tier := range tiers {
		first, last, largest := d.slots.within(v, tier, n)
		if spread > k+1 && (waited >= d.wait(&s.tuner, n, k+1) || n > within) && last > first {
			d.slots.fill(plan, j, first, last, n)
			s.tuner.note(k+1, n, waited, v.Now(), d.span())
			return true
		}
		within = largest
	}
	if beyond := len(tiers) + 1; spread > beyond && (waited >= d.wait(&s.tuner, n, beyond) || n > within) && n <= d.slots.total {
		d.slots.fill(plan, j, 0, v.Pools(), n)
		return true
	}
	return false
}

// spread is how far apart the old GPUs are.
func (d *Dally) spread(tiers [][]int32) int {
	spread := 0
	for k, part := range d.old {
		if at, p := d.old[0].Pool, part.Pool; k > 0 {
			spread = max(spread, 1)
			for spread <= len(tiers) && tiers[spread-1][p] != tiers[spread-1][at] {
				spread++
			}
		}
	}
	return spread
}

// span is how long a wait counts.
func (d *Dally) span() time.Duration { return time.Duration(d.History) * d.Lease }

// wait returns how many leases a job of n GPUs waits before it takes GPUs that are so far apart, at least 1. By its settings a tier above
// racks takes as much longer as racks took; tuned, it is likely to wait as others did for the tier below.
func (d *Dally) wait(t *delays, n, apart int) float64 {
	if d.Rack >= 0 || d.Network >= 0 {
		rack, network := float64(max(d.Rack, 0)), float64(max(d.Network, 0))
		if apart == 1 {
			return rack
		}
		return network + float64(apart-2)*max(network-rack, 0)
	}
	largest := float64(d.History)
	if apart == 1 {
		largest = math.Ceil(0.8 * largest)
	}
	return min(largest, max(6*float64(apart), math.Ceil(t.likely(apart-1, n))))
}

// oneServer is where a job was placed in the end that has GPUs of one server: as far apart as they are.
const oneServer = 0

// delays remembers how long jobs waited until they were placed, by where and by their GPUs.
type delays struct{ list []delay }

type delay struct {
	where, gpus int // how far apart they are
	leases      float64
	at          sim.Time
}

func (t *delays) clone() delays { return delays{slices.Clone(t.list)} }

// note remembers a wait of at least a lease, and forgets those that are older than the span.
func (t *delays) note(where, gpus int, leases float64, now sim.Time, span time.Duration) {
	if leases < 1 {
		return
	}
	t.list = slices.DeleteFunc(t.list, func(x delay) bool { return now.Sub(x.at) > span })
	t.list = append(t.list, delay{where, gpus, leases, now})
}

// likely is the mean wait of jobs of that many GPUs, plus twice its standard deviation, leases; 1 without waits.
func (t *delays) likely(where, gpus int) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, x := range t.list {
		if x.where == where && x.gpus == gpus {
			n, sum, squares = n+1, sum+x.leases, squares+x.leases*x.leases
		}
	}
	if n == 0 {
		return 1
	}
	return sum/n + 2*math.Sqrt(max(squares/n-sum/n*(sum/n), 0))
}

// slots is what a plan leaves free in every pool, without what is rented on demand.
type slots struct {
	free  []int
	total int // of all pools
	large int // GPUs of the largest server
	held  []sim.Part
}

// count sets r to what the plan leaves free.
func (r *slots) count(v sim.View, plan *sim.Plan, full FullPools, active []int) {
	r.free, r.total, r.large = r.free[:0], 0, 0
	for p := range v.Pools() {
		n := 0
		if !v.Pool(p).OnDemand {
			n = full.Headroom(v, plan, active, p)
		}
		r.free = append(r.free, n)
		r.total += n
		r.large = max(r.large, n)
	}
	for _, j := range active {
		r.held = parts(plan, j, r.held)
		for _, x := range r.held {
			r.give(int(x.Pool), -int(x.N))
		}
	}
}

// give counts n more GPUs of a pool as free.
func (r *slots) give(p, n int) {
	r.free[p] += n
	r.total += n
}

// back counts GPUs as free again.
func (r *slots) back(held []sim.Part) {
	for _, x := range held {
		r.give(int(x.Pool), int(x.N))
	}
}

// has reports whether the wanted GPUs of every pool are free.
func (r *slots) has(wanted []sim.Part) bool {
	for _, x := range wanted {
		if int(x.N) > r.free[x.Pool] {
			return false
		}
	}
	return true
}

// take gives a job n GPUs of pool p.
func (r *slots) take(plan *sim.Plan, j, p, n int) {
	plan.Place(j, p, n)
	r.give(p, -n)
}

// onOne gives n GPUs of the first server that has them.
func (r *slots) onOne(plan *sim.Plan, j, n int) bool {
	for p := range r.free {
		if r.free[p] >= n {
			r.take(plan, j, p, n)
			return true
		}
	}
	return false
}

// within returns the servers of the first place of a tier with n free GPUs, none if there is no such place, and the GPUs
// of the largest one. Servers of a place follow one another.
func (r *slots) within(v sim.View, tier []int32, n int) (first, last, largest int) {
	for p := 0; p < len(r.free); {
		q, free, all := p, 0, 0
		for ; q < len(r.free) && tier[q] == tier[p]; q++ {
			free += r.free[q]
			if !v.Pool(q).OnDemand {
				all += v.Pool(q).Quota
			}
		}
		largest = max(largest, all)
		if free >= n && last == first {
			first, last = p, q
		}
		p = q
	}
	return first, last, largest
}

// fill gives n GPUs of a row of servers, which has them, where they are free first.
func (r *slots) fill(plan *sim.Plan, j, first, last, n int) {
	for p := first; p < last && n > 0; p++ {
		if k := min(n, r.free[p]); k > 0 {
			r.take(plan, j, p, k)
			n -= k
		}
	}
}

// Decide implements sim.Policy.
func (d *Dally) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*dallyState)
	d.active = byNumber(v, d.active)
	s.count(v, plan, d.active)
	for _, j := range d.active {
		if plan.Held(j) > 0 && v.Job(j).Waiting() > 0 { // it lost GPUs, or did not get them: it bids for others
			s.jobs[j].since = v.Now()
		}
	}
	s.full.StopRefused(v, plan, d.active)
	d.slots.count(v, plan, s.full, d.active)
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
		s.full.wake(v, plan)
	}
}

// lost reports whether a server of which the plan gives a job GPUs is down.
func lost(v sim.View, plan *sim.Plan, j int) bool {
	return v.Job(j).Waiting() > 0 && slices.ContainsFunc(plan.Parts(j), func(x sim.Part) bool { return x.N > 0 && v.Down(int(x.Pool)) })
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
			fastest = max(fastest, SpeedIn(&d.layout, g, p))
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
			runs = SpeedIn(&d.layout, g, p) > 0
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
