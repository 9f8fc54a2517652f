package schedulers

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Dally (arXiv 2401.16492; aakash-sharma/cluster-sim at 4cd660e) keeps jobs close together: a job waits some time for
// the GPUs of one server, then takes those of one rack, and after some more time those of one place of each further
// tier (Pool.Above), in the end any. GPUs are leased; when a lease is over, jobs that wait may take them, those first
// that the network has slowed down most (a new job before all). Pools are servers; those of a rack follow one
// another, and Region is the rack.
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

	book    book
	large   int   // GPUs of the largest server
	active  []int // jobs, by their numbers
	bidders []int
	layout  sim.Layout
	old     []sim.Part // of the bidder
	hidden  []int      // by pool: free GPUs on which the bidder does not run
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
		return &dallyState{
			jobs:  slices.Clone(was.jobs),
			at:    was.at,
			tuner: was.tuner.clone(),
			full:  slices.Clone(was.full),
		}
	}
	return &dallyState{}
}

// place gives a job GPUs as close together as it can have by now, and reports whether it did. A job that could keep
// what it had only takes what is closer together. How far apart GPUs are is counted as sim.Market.Apart does.
func (d *Dally) place(v sim.View, plan *sim.Plan, s *dallyState, j int, had bool) bool {
	n := gang(v, j).Gang()
	tiers := v.Tiers()
	spread := math.MaxInt // of what it had
	if had {
		spread = d.spread(tiers)
	}
	waited := float64(v.Now().Sub(s.jobs[j].since)) / float64(d.Lease)
	if spread > 0 && d.book.takeOfOne(plan, j, n) {
		s.tuner.note(oneServer, n, waited, v.Now(), d.span())
		return true
	}
	largestBelow := d.large // GPUs of the largest place of the tier below
	for k, tier := range tiers {
		apart := k + 1
		first, end, largest := d.findPlace(v, tier, n)
		if spread > apart && (waited >= d.wait(&s.tuner, n, apart) || n > largestBelow) && end > first {
			d.book.takeInOrder(plan, j, first, end, n)
			s.tuner.note(apart, n, waited, v.Now(), d.span())
			return true
		}
		largestBelow = largest
	}
	anywhere := len(tiers) + 1
	if spread > anywhere && (waited >= d.wait(&s.tuner, n, anywhere) || n > largestBelow) && n <= d.book.total {
		d.book.takeInOrder(plan, j, 0, v.Pools(), n)
		return true
	}
	return false
}

// findPlace returns the servers of the first place of a tier with n free GPUs, from first up to end, none if there is
// no such place, and the GPUs of the largest one. Servers of a place follow one another.
func (d *Dally) findPlace(v sim.View, placeOf []int32, n int) (first, end, largest int) {
	next := 0
	for p := 0; p < v.Pools(); p = next {
		free := 0
		all := 0
		for next = p; next < v.Pools() && placeOf[next] == placeOf[p]; next++ {
			free += d.book.free[next]
			if !v.Pool(next).OnDemand {
				all += v.Pool(next).Quota
			}
		}
		largest = max(largest, all)
		if free >= n && end == first {
			first = p
			end = next
		}
	}
	return first, end, largest
}

// spread is how far apart the old GPUs are.
func (d *Dally) spread(tiers [][]int32) int {
	spread := 0
	for _, part := range d.old[1:] {
		spread = max(spread, 1)
		for spread <= len(tiers) && tiers[spread-1][part.Pool] != tiers[spread-1][d.old[0].Pool] {
			spread++
		}
	}
	return spread
}

// span is how long a wait counts.
func (d *Dally) span() time.Duration { return time.Duration(d.History) * d.Lease }

// wait returns how many leases a job of n GPUs waits before it takes GPUs that are so far apart, at least 1. By its
// settings a tier above racks takes as much longer as racks took; tuned, it is likely to wait as others did for the
// tier below.
func (d *Dally) wait(t *delays, n, apart int) float64 {
	if d.Rack >= 0 || d.Network >= 0 {
		rack := float64(max(d.Rack, 0))
		network := float64(max(d.Network, 0))
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
	t.list = slices.DeleteFunc(t.list, func(old delay) bool { return now.Sub(old.at) > span })
	t.list = append(t.list, delay{where, gpus, leases, now})
}

// likely is the mean wait of jobs of that many GPUs, plus twice its standard deviation, leases; 1 without waits.
func (t *delays) likely(where, gpus int) float64 {
	n := 0.0
	sum := 0.0
	squares := 0.0
	for _, old := range t.list {
		if old.where == where && old.gpus == gpus {
			n++
			sum += old.leases
			squares += old.leases * old.leases
		}
	}
	if n == 0 {
		return 1
	}
	return sum/n + 2*math.Sqrt(max(squares/n-sum/n*(sum/n), 0))
}

// Decide implements sim.Policy.
func (d *Dally) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*dallyState)
	d.active = byNumber(v, d.active)
	s.takeIn(v, plan, d.active)
	for _, j := range d.active {
		if plan.Held(j) > 0 && v.Job(j).Waiting() > 0 { // it lost GPUs, or did not get them: it bids for others
			s.jobs[j].since = v.Now()
		}
	}
	s.full.StopRefused(v, plan, d.active)
	d.book.open(v, plan, s.full, d.active, false)
	d.large = slices.Max(d.book.free)
	for _, j := range d.active {
		d.book.addParts(plan.Parts(j), -1)
	}
	d.listBidders(v, plan, s)
	plan.SetReason("GPUs whose lease is over go to the jobs that the network slowed down most")
	waits := false
	for _, j := range d.bidders {
		placed := d.bid(v, plan, s, j)
		waits = waits || !placed
		if plan.Recorded() {
			note := "no GPUs are free that are close enough together"
			if placed {
				note = ""
			}
			plan.AddCandidate(sim.Candidate{
				Name:   v.Job(j).Name(),
				Score:  s.jobs[j].score,
				Unit:   "of its speed",
				Note:   note,
				Chosen: placed,
			})
		}
	}
	if waits {
		d.wake(v, plan, s)
		s.full.wake(v, plan)
	}
}

// listBidders lists the jobs that wait or whose lease is over, whose GPUs are free, those first that the network has
// slowed down most.
func (d *Dally) listBidders(v sim.View, plan *sim.Plan, s *dallyState) {
	d.bidders = d.bidders[:0]
	for _, j := range d.active {
		job := &s.jobs[j]
		if plan.Held(j) > 0 {
			if job.lease > v.Now() {
				continue
			}
			job.since = v.Now()
			d.book.addParts(plan.Parts(j), 1)
		}
		plan.Job(j) // plans take effect in the order of the numbers
		job.score = d.score(v, j, job)
		d.bidders = append(d.bidders, j)
	}
	slices.SortFunc(d.bidders, func(a, b int) int {
		x := &s.jobs[a]
		y := &s.jobs[b]
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.since, y.since), cmp.Compare(x.number, y.number))
	})
}

// takeIn adds the time since the last decision to that of the jobs that hold GPUs, and notes new jobs.
func (s *dallyState) takeIn(v sim.View, plan *sim.Plan, active []int) {
	for len(s.jobs) < v.Jobs() {
		s.jobs = append(s.jobs, dallyJob{})
	}
	seconds := v.Now().Sub(s.at).Seconds()
	s.at = v.Now()
	for _, j := range active {
		job := &s.jobs[j]
		number := v.Job(j).ID() + 1
		if job.number != number {
			*job = dallyJob{number: number, since: v.Now(), ran: v.Job(j).Ran().Seconds()}
		} else if plan.Held(j) > 0 {
			job.ran += seconds
		}
	}
}

// score is the part of its speed that a job has had so far: what it has done, by what it would have done on one
// server of the fastest GPUs.
func (d *Dally) score(v sim.View, j int, job *dallyJob) float64 {
	if job.ran == 0 {
		return 0
	}
	model := gang(v, j)
	fastest := 0.0
	for p := range v.Pools() {
		if p == 0 || v.Pool(p).GPU != v.Pool(p-1).GPU {
			fastest = max(fastest, SpeedIn(&d.layout, model, p))
		}
	}
	return (model.Work() - v.Job(j).WorkLeft()) / (job.ran * fastest)
}

// bid gives a job its GPUs, or leaves it those that it has; false: it waits.
func (d *Dally) bid(v sim.View, plan *sim.Plan, s *dallyState, j int) bool {
	d.old = copyParts(plan, j, d.old)
	plan.Stop(j)
	had := len(d.old) > 0 && d.book.has(d.old)
	d.hide(v, gang(v, j))
	placed := d.place(v, plan, s, j, had)
	if !placed && had {
		d.book.takeParts(plan, j, d.old)
		placed = true
	}
	d.show()
	if placed {
		s.jobs[j].lease = v.Now().Add(d.Lease)
	}
	return placed
}

// hide takes free GPUs on which a job does not run out of the book, so that none is given to it; show brings them back.
func (d *Dally) hide(v sim.View, model sim.GangModel) {
	d.hidden = d.hidden[:0]
	runs := true
	for p, n := range d.book.free {
		if p == 0 || v.Pool(p).GPU != v.Pool(p-1).GPU {
			runs = SpeedIn(&d.layout, model, p) > 0
		}
		if runs {
			n = 0
		}
		d.hidden = append(d.hidden, n)
		d.book.add(p, -n)
	}
}

func (d *Dally) show() {
	for p, n := range d.hidden {
		d.book.add(p, n)
	}
}

// wake asks for a decision when a lease ends, or a job that waits would take GPUs further apart.
func (d *Dally) wake(v sim.View, plan *sim.Plan, s *dallyState) {
	next := sim.Never
	for _, j := range d.active {
		job := &s.jobs[j]
		if plan.Held(j) > 0 {
			next = min(next, job.lease)
			continue
		}
		for apart := 1; apart <= len(v.Tiers())+1; apart++ {
			leases := d.wait(&s.tuner, gang(v, j).Gang(), apart)
			at := job.since.Add(time.Duration(leases * float64(d.Lease)))
			if at > v.Now() && !math.IsInf(leases, 1) {
				next = min(next, at)
			}
		}
	}
	if next > v.Now() && next != sim.Never {
		plan.WakeIn(next.Sub(v.Now()))
	}
}
